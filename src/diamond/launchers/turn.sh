# A follow-up that got its nodes early: its program starts only after the previous attempt's program has ended.
# The agent's word on that end is in the predecessor's file `over`: go, or stop. Where no agent is left, files must do.
diamond_patience=180 diamond_notice=240

diamond_arrive() {
  { printf '%s %s %s %s\n' "$diamond_job" "$HOSTNAME" "$diamond_time" "$diamond_nodes" >arrived; } 2>/dev/null
  diamond_mark 0.arrived
}

diamond_not_needed() {
  printf 'diamond: the attempt before this one has ended the work; nothing was started\n' >&2
  exit 74
}

# `diamond_before` becomes the exit code of the predecessor's newest run, `diamond_pulse` its last sign of life.
diamond_look_before() {
  local run=1
  while [ -e "$diamond_after/runs/$((run + 1))/stdout.log" ]; do run=$((run + 1)); done
  diamond_before= diamond_pulse=
  { read -r diamond_before _ <"$diamond_after/runs/$run/exit"; } 2>/dev/null || diamond_before=
  { read -r diamond_pulse <"$diamond_after/runs/$run/heartbeat"; } 2>/dev/null
  # Its time too: on a full disk a beat leaves an empty file.
  diamond_pulse=$run.$diamond_pulse.$(stat -c %y "$diamond_after/runs/$run/heartbeat" 2>/dev/null)
}

# One that has not begun says nothing by its silence: it waits too, and goes first.
diamond_has_begun_before() { [ -e "$diamond_after/runs/1/started" ]; }

# Nobody speaks. No clock is compared with another node's: a heartbeat that stays the same for this long is dead.
# Looks are counted, one a second: while this job is suspended or the file system stands still there are none.
diamond_conclude_alone() {
  diamond_silent=$((diamond_silent + 1))
  [ "$diamond_pulse" = "$diamond_last_pulse" ] || diamond_silent=0
  diamond_last_pulse=$diamond_pulse
  case $diamond_before in
    75) [ $diamond_silent -ge 30 ] ;;
    '' | 12[89] | 1[3-9]?) diamond_conclude_loss ;;
    *) [ $diamond_silent -lt $diamond_patience ] || diamond_not_needed; return 1 ;;
  esac
}

# The batch system knows of a job that is suspended; else the turn is taken, by which a program that does run is ended,
# and a beat of it within the notice is awaited.
diamond_conclude_loss() {
  if [ $diamond_silent -eq $diamond_patience ]; then
    diamond_has_nodes_before && { diamond_silent=$((diamond_patience / 2)); return 1; }
    diamond_outlives_loss
    diamond_take_turn
  fi
  [ $diamond_silent -ge $diamond_notice ]
}

diamond_has_nodes_before() {
  local owner=
  { read -r owner _ <"$diamond_after/claim/owner"; } 2>/dev/null
  [ -n "$owner" ] && diamond_has_nodes "$owner"
}

diamond_outlives_loss() {
  case " $diamond_on " in *" wall-time "* | *" preempted "* | *" node-lost "*) return ;; esac
  diamond_not_needed
}

diamond_may_start() {
  [ ! -e tombstone ] || diamond_called_off
  local word=
  { read -r word <"$diamond_after/over"; } 2>/dev/null
  case $word in go) return 0 ;; stop) diamond_not_needed ;; esac
  diamond_look_before
  [ "$diamond_before" != 0 ] || diamond_not_needed
  diamond_has_begun_before && diamond_conclude_alone
}

diamond_await_turn() {
  diamond_last_pulse= diamond_silent=0
  trap 'exit 143' TERM INT
  diamond_arrive
  until diamond_may_start; do sleep 1; done
  diamond_clock
}
