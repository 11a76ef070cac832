#compdef ikat
# Completion of ikat for zsh, made by tools/make_completion.py from what ikat declares. It needs no other program.

# @TABLES@
# A name of the list $1; a name of a family that needs a parameter gets a ':'.
_ikat_name() {
    local -a reply plain open
    local -A needs
    local entry
    _ikat_needed $1
    for entry in $reply; do needs[$entry]=1; done
    _ikat_described $1
    for entry in $reply; do
        if [[ -n ${needs[${entry%%:*}]} ]]; then open+=($entry); else plain+=($entry); fi
    done
    local ret=1
    (( $#open )) && _describe -t names "name (ikat list $1)" open -qS : && ret=0
    (( $#plain )) && _describe -t names "name (ikat list $1)" plain && ret=0
    return ret
}

# Moves what stands up to the last of the characters $1 out of what is completed.
_ikat_behind() {
    compset -P "*[$1]"
}

# A spec of family $1: NAME, NAME:KEY=VALUE,KEY=VALUE.
_ikat_spec() {
    if [[ $PREFIX != *:* ]]; then
        _ikat_name $1
        return
    fi
    local -a reply own common keys
    local name=${PREFIX%%:*} items=${PREFIX#*:} entry ret=1
    local item=${items##*,} bare=
    [[ $items == $item ]] && bare=1
    _ikat_parameters $1:$name
    own=($reply)
    _ikat_common $1
    common=($reply)
    (( $#own )) || [[ $1 == topologies ]] || common=()
    IPREFIX+=${PREFIX%"$item"}
    PREFIX=$item
    if [[ $item == *=* ]]; then
        _ikat_parameter $1:$name:${item%%=*}
        IPREFIX+=${item%%=*}=
        PREFIX=${item#*=}
        _ikat_takes "$reply[1]"
        return
    fi
    if [[ -n $bare ]] && (( $#own )); then # the first one may be a bare value
        _ikat_parameter $1:$name:${own[1]%%:*}
        (( $#reply )) && _ikat_takes "$reply[1]" && ret=0
    fi
    for entry in $own $common; do
        [[ ,$items == *",${entry%%:*}="* ]] || keys+=($entry)
    done
    (( $#keys )) && _describe -t parameters parameter keys -S = && ret=0
    return ret
}

# Traffic patterns within a spec: "80%*uniform+20%*shift".
_ikat_patterns() {
    _ikat_behind '+*=&@'
    local -a reply
    _ikat_described traffic
    _describe -t names pattern reply
}

# KEY=VALUE of --set.
_ikat_settings() {
    local -a reply
    if [[ $PREFIX != *=* ]]; then
        _ikat_described settings
        _describe -t settings setting reply -S =
        return
    fi
    local key=${PREFIX%%=*}
    _ikat_setting $key
    IPREFIX+=$key=
    PREFIX=${PREFIX#*=}
    _ikat_takes "$reply[1]"
}

# A value that can be written in the ways $1 ("<routings>|auto").
_ikat_takes() {
    local way ret=1
    local -a words open
    for way in ${(s:|:)1}; do
        case $way in
            '<file>') _files && ret=0 ;;
            '<file '*) _files -g "*.(${${${way#<file }%>}// /|})(-.)" && ret=0 ;;
            '<folder>') _files -/ && ret=0 ;;
            '<patterns>') _ikat_patterns && ret=0 ;;
            '<settings>') _ikat_settings && ret=0 ;;
            '<topologies>'|'<routings>'|'<vcs>'|'<traffic>'|'<selections>') _ikat_spec ${${way#<}%>} && ret=0 ;;
            '<'*) _ikat_name ${${way#<}%>} && ret=0 ;;
            *=) open+=($way) ;;
            *) words+=($way) ;;
        esac
    done
    (( $#words )) && compadd -- $words && ret=0
    (( $#open )) && compadd -S '' -- $open && ret=0
    return ret
}

_ikat_command() {
    local -a reply options
    local arguments
    _ikat_options $words[1]
    options=($reply)
    _ikat_arguments $words[1]
    arguments="*:argument: _ikat_takes ${(qqq)reply[1]}"
    [[ $reply[1] == '<program>' ]] && arguments='*::program: _normal'
    _arguments -s -S : $options $arguments
}

_ikat() {
    local curcontext=$curcontext state line
    _arguments -C '(- *)--version[print the version]' '(- *)'{-h,--help}'[print help]' '1:command: _ikat_name commands' '*::argument:->rest'
    if [[ $state == rest ]]; then
        curcontext=${curcontext%:*:*}:ikat-$words[1]:
        _ikat_command
    fi
}

_ikat "$@"
