# What the jobs of this task have used, by the files of its runs, against what its budget and its owner's limits allow: a job that the site put
# back in the queue begins no program that could pass it, whether or not anybody is there to say so.
# Each run was timed by its own node. The service grants `most_seconds`, of all jobs together.

diamond_is_number() { case $1 in '' | *[!0-9]*) return 1 ;; esac; }

# In `diamond_took`: the seconds of one run that began; of a follow-up's first with the wait on its nodes. Of one without an exit
# file the last beat may be 15 s old. Times are whole seconds, so each may have lasted almost one more.
diamond_time_run() {
  local begun= ended= started= late=0
  diamond_took=$2
  [ "${1##*/}" != 1 ] || read -r _ _ begun _ <"${1%/runs/*}/arrived"
  read -r _ _ _ started _ <"$1/started"
  # A requeue writes `arrived` again, later than run 1 began.
  [ -n "$begun" ] && [ "$begun" -le "${started:-0}" ] || begun=$started
  read -r _ ended <"$1/exit" || { late=15; read -r ended <"$1/heartbeat"; }
  diamond_is_number "$begun" && diamond_is_number "$ended" || return
  diamond_took=$((ended < begun ? 0 : ended - begun + late + 1))
}

diamond_written() { stat -c %Y "$1" || echo 0; }

# The same of an attempt that had nodes and never began: until it was cancelled. An earlier one is gone by now.
diamond_time_wait() {
  local attempt=${1%/runs/*} until held
  diamond_took=0
  [ -e "$attempt/arrived" ] && [ "$attempt" != "$diamond_folder" ] || return
  diamond_took=$2 until=$attempt/tombstone
  [ -e "$until" ] || ! diamond_is_before "$attempt" || until=$diamond_place/started
  [ -e "$until" ] || return
  held=$(($(diamond_written "$until") - $(diamond_written "$attempt/arrived") + 1))
  [ "$held" -gt "$2" ] || diamond_took=$((held > 0 ? held : 0))
}

diamond_is_before() {
  local about=
  read -rd '' about <"$1/attempt.json"
  [[ $about =~ \"number\":\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -lt "$diamond_number" ]
}

# Later ones that have nodes and wait are summed apart: they can continue in place of this one.
diamond_sum_up() {
  local run attempt
  diamond_used=0 diamond_set_aside=0
  for run in "${diamond_folder%/attempts/*}"/attempts/*/runs/*; do
    attempt=${run%/runs/*}
    [ "$run" != "$diamond_place" ] || continue
    if [ -e "$run/started" ]; then
      diamond_time_run "$run" "$1"
    else
      diamond_time_wait "$run" "$1"
    fi
    if [ -e "$run/started" ] || [ -e "$attempt/tombstone" ] || diamond_is_before "$attempt"; then
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
  words+="after $used h, a run of up to $limit h could go beyond the $most h that its budget and limits allow: its program was not started"
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
    diamond_end_unstarted 75 'the next attempt has its nodes and continues: the budget does not allow both'
}
