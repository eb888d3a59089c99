# The launcher for machines without a C compiler: one such shell per job that runs at a time, fed with calls of `run` on its
# standard input by sh-launcher.ts, which keeps the queue. The journal's grammar and the fence are those of launcher.c. What differs:
# - peak memory is not known; death by signal n shows as exit code 128 + n;
# - deadlines are kept by Node: while no manager lives a job may overrun, and the one that recovers it ends it;
# - processes that leave the job's session are not found;
# - files that whoever started Node left open are inherited.
# When standard input ends (Node closed it or died) the shell sees its job to the end, records it and exits.

ticks_of() { # the start time in a line of /proc/<pid>/stat, after the name, which may contain anything
  rest=${1##*) }
  # shellcheck disable=SC2086
  set -- $rest
  ticks=${20:-0}
}

stat=
read -r stat 2>/dev/null </proc/$$/stat
ticks_of "$stat"
owner="$$ $ticks"

# run <journal> <boot and host> <times and demand> <cpu seconds before> <KiB of data or 0> <cwd> <stdin> <stdout> <stderr> <name=value...> <command...>
run() {
  journal=$1 machine=$2 terms=$3 before=$4 limit=$5 directory=$6 in=$7 out=$8 err=$9
  shift 9
  (
    exec >>"$out" 2>>"$err"
    set -C
    : >"$journal" || exit 126
    set +C
    stat=
    read -r stat </proc/self/stat
    ticks_of "$stat"
    line="started ${stat%% *} $ticks $owner $machine $terms $before"
    echo "$line" >>"$journal"
    read -r first <"$journal"
    [ "$first" = "$line" ] || exit 126
    [ -r "$in" ] || { printf "varve: cannot open stdin %s\n" "$in" >&2; exit 126; }
    exec <"$in"
    cd "$directory" || exit 126
    [ "$limit" = 0 ] || ulimit -d "$limit" || exit 126
    exec setsid env -i -- "$@"
  ) 2>/dev/null
  status=$?
  word= pid= ticks= by=
  { read -r word pid ticks by bys rest <"$journal"; } 2>/dev/null
  if [ "$word $by $bys" = "started $owner" ]; then
    kill -s KILL -- "-$pid" 2>/dev/null
    { echo "ended exited $status - - - -"; times; } >>"$journal"
  fi
  echo done
}
if command -v setsid >/dev/null; then echo ready; else echo unfit; fi
