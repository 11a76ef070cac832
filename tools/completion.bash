# Completion of ikat for bash, made by tools/make_completion.py from what ikat declares.
# It needs no other program and works with and without the package bash-completion.

# @TABLES@
# The words of the command line up to the cursor, as the shell will see them, in `words`: bash parts them at ':' and '=', too.
_ikat_split() {
    local line=${COMP_LINE:0:COMP_POINT} i word glued=
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $line == [[:space:]]* ]]; then
            line=${line#"${line%%[![:space:]]*}"}
            glued=
        fi
        ((i == COMP_CWORD)) && word=$line
        line=${line#"$word"}
        if [[ $glued ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glued=1
    done
}

# Adds those of the words $2 that begin with $1$3, each behind $1.
_ikat_add() {
    local word
    for word in $2; do
        [[ $word == "$3"* ]] && COMPREPLY+=("$1$word")
    done
}

# Adds files whose names begin with $2, and folders, behind $1; only those with one of the endings $3 if there are any, and no
# files at all if that is '/'.
_ikat_add_files() {
    local start=$2 path shown ending home= fitting=() others=() folders=()
    [[ $quote ]] || start=${start//\\/}
    [[ $start == '~/'* ]] && home=$HOME/ start=$HOME/${start:2}
    while IFS= read -r path; do
        shown=${path#"$home"}
        [[ $quote ]] || printf -v shown %q "$shown"
        shown=$1${home:+'~/'}$shown
        [[ -d $path ]] && folders+=("$shown/") && continue
        others+=("$shown")
        for ending in $3; do
            [[ $path == *."$ending" ]] && fitting+=("$shown")
        done
    done < <(compgen -f -- "$start")
    COMPREPLY+=("${folders[@]}")
    if [[ $3 != / ]]; then
        ((${#fitting[@]})) && others=("${fitting[@]}")
        COMPREPLY+=("${others[@]}")
    fi
}

# Traffic patterns within a spec: "80%*uniform+20%*shift". $1 stands in front of it, $2 is the value so far.
_ikat_add_patterns() {
    local name=${2##*[+*=&@]} reply
    _ikat_words traffic
    _ikat_add "$1${2%"$name"}" "${reply//:/}" "$name"
}

# A value that can be written in the ways $2 ("<routings>|auto"); $1 stands in front of it, $3 is the value so far.
_ikat_add_value() {
    local way ways reply
    IFS='|' read -ra ways <<<"$2"
    for way in "${ways[@]}"; do
        case $way in
            -) ;; # a number, a name of the user's own
            '<file>') _ikat_add_files "$1" "$3" '' ;;
            '<file '*) way=${way%>}; _ikat_add_files "$1" "$3" "${way#<file }" ;;
            '<folder>') _ikat_add_files "$1" "$3" / ;;
            '<patterns>') _ikat_add_patterns "$1" "$3" ;;
            '<settings>') _ikat_add_setting "$1" "$3" ;;
            '<program>') while IFS= read -r way; do COMPREPLY+=("$1$way"); done < <(compgen -c -- "$3") ;;
            '<topologies>'|'<routings>'|'<vcs>'|'<traffic>'|'<selections>') way=${way#<}; _ikat_add_spec "$1" "${way%>}" "$3" ;;
            '<'*) way=${way#<}; _ikat_words "${way%>}"; _ikat_add "$1" "$reply" "$3" ;;
            *) _ikat_add "$1" "$way" "$3" ;;
        esac
    done
}

# KEY=VALUE of --set.
_ikat_add_setting() {
    local reply
    if [[ $2 == *=* ]]; then
        _ikat_setting "${2%%=*}"
        _ikat_add_value "$1${2%%=*}=" "$reply" "${2#*=}"
    else
        _ikat_words settings
        _ikat_add "$1" "$reply" "$2"
    fi
}

# A spec of family $2: NAME, NAME:KEY=VALUE,KEY=VALUE. $1 stands in front of it, $3 is the spec so far.
_ikat_add_spec() {
    local reply
    if [[ $3 != *:* ]]; then
        _ikat_words "$2"
        _ikat_add "$1" "$reply" "$3"
        return
    fi
    local name=${3%%:*} items=${3#*:} own common
    local item=${items##*,}
    local before=$1${3%"$item"}
    _ikat_parameters "$2:$name"
    own=$reply
    _ikat_common "$2"
    common=$reply
    [[ $own || $2 == topologies ]] || common=
    if [[ $item == *=* ]]; then
        _ikat_parameter "$2:$name:${item%%=*}"
        _ikat_add_value "$before${item%%=*}=" "$reply" "${item#*=}"
        return
    fi
    if [[ $items == "$item" && $own ]]; then # the first one may be a bare value
        _ikat_parameter "$2:$name:${own%% *}"
        _ikat_add_value "$before" "$reply" "$item"
    fi
    local key
    for key in $own $common; do
        [[ ,$items == *",$key="* ]] || _ikat_add "$before" "$key=" "$item"
    done
}

# Options of the command $1 that begin with $2 and may still be given.
_ikat_add_options() {
    local option options reply
    _ikat_options "$1"
    read -ra options <<<"$reply"
    for option in "${options[@]}"; do
        [[ $option == *'*' || " ${words[*]:2} " != *" $option "* || $option == "$2" ]] && _ikat_add '' "${option%\*}" "$2"
    done
}

# Whether "--" stands among the first words, and where, in `separator`.
_ikat_separated() {
    for ((separator = 2; separator < ${#words[@]} - 1; separator++)); do
        [[ ${words[separator]} == -- ]] && return 0
    done
    return 1
}

_ikat_complete() {
    local last=$((${#words[@]} - 1)) command=${words[1]} current reply separator quote=
    current=${words[last]}
    [[ $current == [\'\"]* ]] && quote=${current:0:1} current=${current:1}
    if ((last < 2)); then
        _ikat_words commands
        [[ $current == -* ]] && reply='--help --version'
        _ikat_add '' "$reply" "$current"
    elif _ikat_separated; then
        _ikat_arguments "$command"
        [[ $reply == '<program>' ]] && ((separator < last - 1)) && reply='<file>'
        _ikat_add_value '' "$reply" "$current"
    elif _ikat_value "$command:${words[last-1]}"; [[ $reply ]]; then
        _ikat_add_value '' "$reply" "$current"
    elif _ikat_pairs "$command:${words[last-2]}"; [[ $reply ]]; then
        _ikat_value "$command:${words[last-2]}"
        _ikat_add_value '' "$reply" "$current"
    elif [[ $current == --*=* ]]; then
        _ikat_value "$command:${current%%=*}"
        _ikat_add_value "${current%%=*}=" "$reply" "${current#*=}"
    elif [[ $current == -* ]]; then
        _ikat_add_options "$command" "$current"
    else
        _ikat_arguments "$command"
        [[ $reply == '<program>' ]] || _ikat_add_value '' "$reply" "$current"
    fi
    # what bash has parted off already is not to be given again
    local breaks=${COMP_WORDBREAKS//[!:=@]/} rest
    if [[ ! $quote && $breaks ]]; then
        rest=${current##*["$breaks"]}
        COMPREPLY=("${COMPREPLY[@]#"${current%"$rest"}"}")
    fi
}

_ikat() {
    local words IFS=$' \t\n'
    COMPREPLY=()
    _ikat_split
    _ikat_complete
    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[:=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -F _ikat ikat
