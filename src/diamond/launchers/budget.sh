# What the jobs of this task have used, by the files of its runs, against what its budget holds: a job that the site put
# back in the queue begins no program that could pass it, whether or not anybody is there to say so.
# Each run was timed by its own node. The service grants `most_seconds`, of all jobs together.

# In `diamond_took`: the seconds of one run. A follow-up's first begins when it had its nodes; one that has them and has not
# begun may hold them for its whole limit; of one without an exit file the last beat may be 15 s old. Times are whole
# seconds, so each may have lasted almost one more.
diamond_time_run() {
  local attempt=${1%/runs/*} begun= ended=
  diamond_took=0
  [ "${1##*/}" != 1 ] || read -r _ _ begun _ <"$attempt/arrived"
  [ -n "$begun" ] || read -r _ _ _ begun _ <"$1/started" || return
  if read -r _ ended <"$1/exit"; then
    :
  elif read -r ended <"$1/heartbeat"; then
    ended=$((ended + 15))
  elif [ -e "$attempt/tombstone" ]; then
    ended=$((begun + $(stat -c %Y "$attempt/tombstone") - $(stat -c %Y "$attempt/arrived")))
  else
    ended=$((begun + $2))
  fi
  case $begun$ended in *[!0-9]*) return ;; esac
  [ "$ended" -lt "$begun" ] || diamond_took=$((ended - begun + 1))
}

# Those that have nodes and wait are summed apart: they can go on in the place of this one.
diamond_sum_up() {
  local run
  diamond_used=0 diamond_set_aside=0
  for run in "${diamond_folder%/attempts/*}"/attempts/*/runs/*; do
    [ "$run" != "$diamond_place" ] || continue
    diamond_time_run "$run" "$1"
    if [ -e "$run/started" ] || [ -e "${run%/runs/*}/tombstone" ]; then
      diamond_used=$((diamond_used + diamond_took))
    else
      diamond_set_aside=$((diamond_set_aside + diamond_took))
    fi
  done
} 2>/dev/null

diamond_duration() { printf -v "$1" '%d:%02d:%02d' $(($2 / 3600)) $(($2 / 60 % 60)) $(($2 % 60)); }

diamond_end_unstarted() {
  printf 'diamond: %s\n' "$2" >&4
  diamond_code=$1
  diamond_write_exit
  exit "$1"
}

diamond_over_budget() {
  local used limit most words=
  diamond_duration used "$diamond_used"
  diamond_duration limit "$1"
  diamond_duration most "$2"
  [ "$diamond_run" -eq 1 ] || words='the site put it back in the queue; '
  words+="after $used h, a run of up to $limit h could go beyond the $most h that the budget pays for: its program was not started"
  { printf '{"reason": "budget", "message": "%s"}\n' "$words" >"$diamond_place/culprit.json"; } 2>/dev/null
  diamond_end_unstarted 73 "$words"
}

diamond_keep_budget() {
  local grant= most limit=${diamond_limit:-$diamond_asked}
  { read -rd '' grant <"${diamond_folder%/attempts/*}/chain.json"; } 2>/dev/null
  [[ $grant =~ \"most_seconds\":\ ([0-9]+) ]] || return 0
  most=${BASH_REMATCH[1]}
  diamond_sum_up "$limit"
  [ $((diamond_used + limit)) -le "$most" ] || diamond_over_budget "$limit" "$most"
  [ $((diamond_used + limit + diamond_set_aside)) -le "$most" ] ||
    diamond_end_unstarted 75 'the next attempt has its nodes and goes on: the budget does not hold both'
}
