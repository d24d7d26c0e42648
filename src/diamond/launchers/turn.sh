# A follow-up that got its nodes early: its program starts only after that of the attempt before it has ended.
# The agent's word on that end lies in the predecessor's file `over`: go, or stop. Where no agent is left, files must do.
diamond_arrive() {
  { printf '%s %s %s\n' "$diamond_job" "$HOSTNAME" "$diamond_time" >arrived; } 2>/dev/null
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
  diamond_pulse=$run.$diamond_pulse
}

# One that has not begun says nothing by its silence: it waits too, and goes first.
diamond_has_begun_before() { [ -e "$diamond_after/runs/1/started" ]; }

# Nobody speaks. No clock is compared with another node's: a heartbeat that stays the same for so long is none.
diamond_conclude_alone() {
  [ "$diamond_pulse" = "$diamond_last_pulse" ] || diamond_silent_since=$SECONDS
  diamond_last_pulse=$diamond_pulse
  local silent=$((SECONDS - diamond_silent_since))
  case $diamond_before in
    75) [ $silent -ge 30 ] ;;
    '' | 12[89] | 1[3-9]?) [ $silent -ge 180 ] && diamond_outlives_loss ;;
    *) [ $silent -lt 180 ] || diamond_not_needed; return 1 ;;
  esac
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
  diamond_last_pulse= diamond_silent_since=$SECONDS
  trap 'exit 143' TERM INT
  diamond_arrive
  until diamond_may_start; do sleep 1; done
  diamond_clock
}
