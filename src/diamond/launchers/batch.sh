# From here on the text is the same in every script; the values it uses were set, quoted, above.
# What each part writes and why: docs/internals/run-directory.md. No Python, few forks: it adds milliseconds.
unset DIAMOND_SECRETS
diamond_secret_place=
cd "$diamond_folder" || exit 73

diamond_clock() { printf -v diamond_time '%(%s)T' -1 2>/dev/null || diamond_time=$(date +%s); }

# Seconds of this script's life. Bash's SECONDS follow a clock that is set meanwhile, the kernel's count does not.
diamond_count() {
  local up=
  { read -r up _ </proc/uptime; } 2>/dev/null
  up=${up%.*}
  diamond_age=$((${up:-SECONDS} - diamond_born))
}
diamond_born=0
diamond_count
diamond_born=$diamond_age

diamond_mark() { { : >"$diamond_inbox/$diamond_task.$diamond_attempt.$1"; } 2>/dev/null; }

# 73: nothing was started, because it could not be made sure that it is started once.
diamond_leave() {
  printf 'diamond: %s: no room or no right to write; the program was not started\n' "$1" >&2
  exit 73
}

# Created exclusively: whoever's name stands there owns the attempt.
diamond_write_owner() {
  { set -C; printf '%s %s %s\n' "$diamond_job" "$HOSTNAME" "$diamond_time" >claim/owner; } 2>/dev/null
  local written=$?
  set +C
  return $written
}

diamond_read_owner() {
  diamond_owner=
  { read -r diamond_owner _ <claim/owner; } 2>/dev/null
  [ -n "$diamond_owner" ]
}

# A claim that cannot carry a name is given back: without a name, a requeue could not tell it from a stranger's.
diamond_first_claim() {
  diamond_write_owner && return
  rm -f claim/owner
  rmdir claim
  diamond_leave "$PWD/claim/owner"
}

diamond_turn_away() {
  mkdir -p duplicates
  { : >"duplicates/$diamond_job"; } 2>/dev/null
  diamond_mark 0.duplicate
  printf 'diamond: job %s holds this attempt; nothing was started\n' "$diamond_owner" >&2
  exit 74
}

# A cancel came before the batch system started the job: a submission without an answer may be taken late.
diamond_called_off() {
  printf 'diamond: this attempt was cancelled; nothing was started\n' >&2
  exit 74
}

# A job that comes back (a requeue) after its end was judged: what follows from that end is another attempt, or nothing.
diamond_was_judged() {
  printf 'diamond: this attempt has ended before; nothing was started\n' >&2
  exit 74
}

diamond_claim() {
  mkdir claim 2>/dev/null && { diamond_first_claim; return; }
  [ -d claim ] || diamond_leave "$PWD/claim"
  local tries=25
  until diamond_read_owner || [ $((tries -= 1)) -eq 0 ]; do sleep 0.2; done
  [ -n "$diamond_owner" ] || { diamond_write_owner; diamond_read_owner; }
  [ "$diamond_owner" = "$diamond_job" ] || diamond_turn_away
}

# The agent has made the folder of run 1, as each process that the script starts costs milliseconds.
diamond_open_run() {
  diamond_run=$((diamond_restarts + 1))
  while [ -e "runs/$diamond_run/stdout.log" ]; do diamond_run=$((diamond_run + 1)); done
  diamond_place=$PWD/runs/$diamond_run
  [ -d "$diamond_place" ] || mkdir -p "$diamond_place" || diamond_leave "$diamond_place"
  [ -e tombstone ] || [ ! -e stop ] || rm -f stop
  { exec 3>>"$diamond_place/stdout.log"; } 2>/dev/null || exec 3>&1
  { exec 4>>"$diamond_place/stderr.log"; } 2>/dev/null || exec 4>&2
}

# `diamond_later` becomes the number of a later attempt that has taken its turn.
diamond_is_overtaken() {
  local turn
  diamond_later=
  for turn in "${diamond_folder%/attempts/*}"/turns/*; do
    [ "${turn##*/}" -gt "$diamond_number" ] 2>/dev/null && diamond_later=${turn##*/}
  done
  [ -n "$diamond_later" ]
}

# An attempt that comes back (a requeue) after a later one of its task has begun must not run beside it.
diamond_take_turn() {
  { : >"${diamond_folder%/attempts/*}/turns/$diamond_number"; } 2>/dev/null
  diamond_is_overtaken || return 0
  printf 'diamond: attempt %s of this task has begun; nothing was started\n' "$diamond_later" >&2
  exit 74
}

# The time limit, in seconds of this script's life. A limit that was changed since is written down by the agent.
diamond_read_limit() {
  local limit=
  { read -r limit <limit; } 2>/dev/null
  case $limit in '' | *[!0-9]*) limit=$(diamond_seconds_left 2>/dev/null) ;; esac
  case $limit in '' | *[!0-9]*) limit= ;; esac
  diamond_limit=$limit
}

diamond_measure_time() {
  diamond_count
  diamond_begun=$diamond_age
  diamond_read_limit
  diamond_left=${diamond_limit:+$((diamond_limit - diamond_begun))}
  DIAMOND_DEADLINE=${diamond_left:+$((diamond_time + diamond_left))}
}

# When the stop flag is due: by the `lead` that was asked for, or what a save was seen to cost (written by the training).
diamond_measure_stop() {
  [ -n "$diamond_limit" ] || return
  local lead=$diamond_lead half=$(((diamond_limit - diamond_begun) / 2))
  [ "$lead" -gt 0 ] || { read -r lead <"$diamond_place/lead"; } 2>/dev/null
  case $lead in '' | 0 | *[!0-9]*) lead=120 ;; esac
  [ "$lead" -le $half ] || lead=$half
  diamond_stop_at=$((diamond_limit - lead))
}

# Beside the stop flag, for a program that looks: the variable it was started with cannot change.
diamond_follow_limit() {
  local before=$diamond_limit limit=
  { read -r limit <"$diamond_folder/limit"; } 2>/dev/null
  case $limit in '' | *[!0-9]* | "$before") return ;; esac
  diamond_limit=$limit
  diamond_clock
  printf '%s\n' $((diamond_time + limit - diamond_age)) >"$diamond_folder/deadline"
}

diamond_say_started() {
  { printf '%s %s %s %s %s\n' "$diamond_job" "$diamond_restarts" "$HOSTNAME" "$diamond_time" \
    "${diamond_left:--}" >"$diamond_place/started"; } 2>/dev/null
  diamond_mark "$diamond_run.started"
}

# For the record of the task: what the kernel says of this node, by builtins alone. Without quotes, backslashes and
# control characters each value is a JSON string as it is.
diamond_fact() {
  local value=${2//[\"\\[:cntrl:]]/}
  [ -z "$value" ] || diamond_facts+=",\"$1\":\"${value:0:500}\""
}

diamond_note_facts() {
  local kernel= cpu= memory= driver= line gpu gpus= diamond_facts=
  { read -r kernel </proc/sys/kernel/osrelease; } 2>/dev/null
  while read -r line; do case $line in 'model name'*) cpu=${line#*: } && break ;; esac; done 2>/dev/null </proc/cpuinfo
  { read -r _ memory _ </proc/meminfo; } 2>/dev/null
  { read -r driver </proc/driver/nvidia/version; } 2>/dev/null
  for gpu in /proc/driver/nvidia/gpus/*/information; do
    [ -r "$gpu" ] || continue
    while read -r line; do case $line in Model:*) line=${line#Model:} && break ;; esac; done <"$gpu"
    line=${line//[\"\\[:cntrl:]]/}
    gpus+=${gpus:+,}"{\"name\":\"${line#"${line%%[! ]*}"}\"}"
  done
  diamond_fact host "$HOSTNAME"
  diamond_fact nodes "$diamond_nodes"
  diamond_fact kernel "$kernel"
  diamond_fact cpu "$cpu"
  diamond_fact driver "$driver"
  case $memory in '' | *[!0-9]*) ;; *) diamond_facts+=",\"memory_mb\":$((memory / 1024))" ;; esac
  diamond_facts+=${gpus:+",\"gpus\":[$gpus]"}
  [ -z "$diamond_facts" ] || { printf '{%s}\n' "${diamond_facts#,}" >>"$diamond_place/facts.jsonl"; } 2>/dev/null
}

# And what small data hold, so that a changed byte can be named. Larger data cost the job time: they need a version.
diamond_note_inputs() {
  local sum file inputs= size=0 count=0 one
  [ -d "$DIAMOND_DATA" ] || return 0
  while read -r one; do
    size=$((size + one)) count=$((count + 1))
    [ $count -le 64 ] && [ $size -le 67108864 ] || return 0
  done < <(timeout 10 find -L "$DIAMOND_DATA" -maxdepth 6 -type f -printf '%s\n' 2>/dev/null | head -n 65)
  [ $count -gt 0 ] || return 0
  while read -r sum file; do
    file=${file#"$DIAMOND_DATA"/}
    case $sum$file in *[!A-Za-z0-9._/@+=\ -]*) ;; *) inputs+=",\"$file\":\"$sum\"" ;; esac
  done < <(cd / && timeout 60 find -L "$DIAMOND_DATA" -maxdepth 6 -type f -exec sha256sum {} + 2>/dev/null)
  [ -z "$inputs" ] || { printf '{"inputs":{%s}}\n' "${inputs#,}" >>"$diamond_place/facts.jsonl"; } 2>/dev/null
}

# And the packages of a virtual environment, by the names of their folders. Those of an image are known.
diamond_note_packages() {
  local line entry packages= diamond_facts=
  [ -n "${VIRTUAL_ENV-}" ] && [ -z "$diamond_inside" ] || return 0
  for entry in "$VIRTUAL_ENV"/lib/python*/site-packages/*-*.dist-info; do
    entry=${entry##*/} entry=${entry%.dist-info}
    case $entry in *[!A-Za-z0-9._+!-]*) ;; *) packages+=",\"${entry%-*}\":\"${entry##*-}\"" ;; esac
  done
  while read -r line; do case $line in version*=*) diamond_fact python "${line#*= }" && break ;; esac; done \
    2>/dev/null <"$VIRTUAL_ENV/pyvenv.cfg"
  diamond_facts+=${packages:+",\"packages\":{${packages#,}}"}
  [ -z "$diamond_facts" ] || { printf '{%s}\n' "${diamond_facts#,}" >>"$diamond_place/facts.jsonl"; } 2>/dev/null
}

# The pattern is matched against file names and nothing else: with IFS empty no word is split or run. One with which an
# attempt came no further is skipped, unless it is the only one, or was written again since.
diamond_newest_checkpoint() {
  DIAMOND_RESUME_FROM=
  [ -n "$diamond_pattern" ] || return
  local IFS= file doubted= doubt=${diamond_folder%/attempts/*}/doubted
  { read -r doubted <"$doubt"; } 2>/dev/null
  shopt -s nullglob globstar 2>/dev/null
  cd "$DIAMOND_RUN_DIR" || return
  for file in $diamond_pattern; do
    [ -e "$file" ] || continue # nullglob drops no word without a wildcard, and a link may lead nowhere
    [[ $file != "$doubted" || $file -nt $doubt ]] || continue
    [[ -n $DIAMOND_RESUME_FROM && ! $file -nt $DIAMOND_RESUME_FROM ]] || DIAMOND_RESUME_FROM=$file
  done
  [ -n "$DIAMOND_RESUME_FROM" ] || [ ! -e "$doubted" ] || DIAMOND_RESUME_FROM=$doubted
  case $DIAMOND_RESUME_FROM in '' | /*) ;; *) DIAMOND_RESUME_FROM=$DIAMOND_RUN_DIR/$DIAMOND_RESUME_FROM ;; esac
  shopt -u nullglob globstar 2>/dev/null
  cd "$diamond_folder" || return
}

diamond_hand_over_secrets() {
  [ ${#diamond_secrets[@]} -gt 0 ] || return
  diamond_secret_place=$diamond_place/secrets
  export DIAMOND_SECRETS=$diamond_secret_place
  local name before
  before=$(umask)
  umask 077
  mkdir -p "$DIAMOND_SECRETS"
  for name in "${diamond_secrets[@]}"; do cat "$diamond_secret_store/$name" >"$DIAMOND_SECRETS/$name"; done 2>&4
  umask "$before"
}

# Data in an archive is shown in a folder of the attempt, read-only, while the program runs.
diamond_mount_archives() {
  local n
  for ((n = 0; n < ${#diamond_archives[@]}; n += 2)); do
    [ ! -h "${diamond_archives[n + 1]}" ] || { rm -f "${diamond_archives[n + 1]}"; mkdir "${diamond_archives[n + 1]}"; }
    diamond_mount_archive "${diamond_archives[n]}" "${diamond_archives[n + 1]}" && continue
    diamond_command=(diamond_no_archive "${diamond_archives[n]}")
    diamond_ranks=
    return
  done
}

# The low-level program is the faster one (measured: bench data-archive). A node without FUSE gets the files on its own disk.
diamond_mount_archive() {
  local said place=${TMPDIR:-/tmp}/diamond-$diamond_attempt-${2##*/}
  said=$({ squashfuse_ll "$1" "$2" || squashfuse "$1" "$2"; } 2>&1) && return
  unsquashfs -quiet -no-progress -no-xattrs -d "$place" "$1" >/dev/null 2>&4 || { printf '%s\n' "$said" >&4; return 1; }
  rmdir "$2" && ln -s "$place" "$2"
}

diamond_no_archive() {
  printf 'diamond: %s cannot be mounted or unpacked: squashfuse and unsquashfs are missing on this node, or failed. Use an image or `layout: files`\n' "$1" >&2
  return 127
}

diamond_unmount_archives() {
  local n
  for ((n = 1; n < ${#diamond_archives[@]}; n += 2)); do
    if [ -h "${diamond_archives[n]}" ]; then
      chmod -R u+w "${diamond_archives[n]}/" && rm -rf -- "$(readlink "${diamond_archives[n]}")" "${diamond_archives[n]}"
      continue
    fi
    fusermount3 -uz "${diamond_archives[n]}" || fusermount -uz "${diamond_archives[n]}" || umount -l "${diamond_archives[n]}"
  done 2>/dev/null
}

# Data with `cache: node` is copied to this node's own disk, once for all jobs here, and stays for the next ones.
diamond_fill_caches() {
  local n
  for ((n = 0; n < ${#diamond_caches[@]}; n += 3)); do
    "${diamond_filler[@]}" "$$" "${diamond_caches[@]:n:3}" >&4 2>&4 && continue
    diamond_command=(diamond_no_cache "${diamond_caches[n + 1]}")
    diamond_ranks=
    return
  done
}

diamond_no_cache() {
  printf 'diamond: %s could not be copied to this node: the line above says why\n' "$1" >&2
  return 127
}

diamond_leave_caches() {
  local n
  for ((n = 2; n < ${#diamond_caches[@]}; n += 3)); do rm -f -- "${diamond_caches[n]}.users/$$"; done
}

diamond_set_variables() {
  export DIAMOND_TASK=$diamond_task DIAMOND_ATTEMPT=$diamond_attempt DIAMOND_RUN=$diamond_run
  export DIAMOND_ATTEMPT_NUMBER=$diamond_number DIAMOND_RUN_DIR=$diamond_run_dir
  export DIAMOND_DATA=$diamond_folder/data DIAMOND_PARAMS=$diamond_folder/params.json
  export DIAMOND_INPUTS=$DIAMOND_DATA
  export DIAMOND_METRICS=$diamond_place/metrics.jsonl DIAMOND_STOP_FILE=$diamond_folder/stop
  diamond_newest_checkpoint
  export DIAMOND_RESUME_FROM DIAMOND_DEADLINE
  diamond_before_program
  export PYTHONUNBUFFERED=${PYTHONUNBUFFERED-1} PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$diamond_training
}

diamond_pass_on() {
  diamond_signalled=$1
  [ -z "$diamond_program" ] || kill -s "$1" -- "-$diamond_program" 2>/dev/null
}

# QUIT: Diamond ends this job at once, after the seconds it gave it to save. The batch system's own SIGKILL may come half a
# minute after its SIGTERM. The overseer kills its ranks on all nodes.
diamond_kill() {
  [ -n "$diamond_ranks" ] && diamond_pass_on QUIT || diamond_pass_on KILL
}

# The command itself, as the head names it, or the overseer of its ranks, by a Python of the node or of the environment; what stands
# behind the name is used from there on, as the name may lead to a slow script (pyenv's takes 0.2 s each time).
diamond_choose_command() {
  [ -n "$diamond_ranks" ] || return
  local python found
  for python in python3 python3.{15..8} python; do
    found=$("$python" -E -S -c 'import sys; sys.version_info < (3, 8) or print(sys.executable)' 2>/dev/null)
    [ -n "$found" ] || continue
    diamond_command=("$found" -E -S "$diamond_ranks" oversee "$diamond_folder/launch.json")
    return
  done
  diamond_command=(diamond_no_python)
}

diamond_no_python() {
  printf 'diamond: several ranks need a Python from 3.8 on; load one with `modules` of the site profile\n' >&2
  return 127
}

# Job control gives the program a process group of its own, so that a signal reaches all of it.
# The shell around the program outlives a signal and writes the program's code down: see diamond_wait.
diamond_start() {
  set -m
  (
    trap : TERM INT USR1 USR2 QUIT
    cd "$DIAMOND_RUN_DIR" 2>&4 || exit
    "${diamond_command[@]}" >&3 2>&4 3>&- 4>&-
    diamond_code=$?
    printf '%s\n' "$diamond_code" >"$diamond_place/code"
    exit "$diamond_code"
  ) </dev/null 2>/dev/null &
  diamond_program=$!
  set +m
  [ -z "$diamond_signalled" ] || diamond_pass_on "$diamond_signalled"
}

# Waits without a fork, by reading from the script, which writes nothing: an end of it means that the script is gone.
diamond_pause() {
  read -rt "$1"
  [ $? -gt 128 ]
}

diamond_sample() {
  command -v python3 && [ -d "$diamond_training/diamond/training" ] || return
  local packages=--packages
  [ -z "$diamond_inside${VIRTUAL_ENV-}" ] || packages= # those of the image are known, those of the environment are noted
  PYTHONPATH=$diamond_training python3 -m diamond.training.sampler \
    --run-folder "$diamond_place" --pid "$diamond_program" $packages &
}

# This attempt was taken for lost, as its node hung or its job was suspended, and a later one continues: two must not write.
# Where ranks are on other nodes, they are asked by TERM, and ended by the batch system with the script.
diamond_yield() {
  printf 'diamond: attempt %s of this task has begun; this one is ended\n' "$diamond_later" >>"$diamond_place/stderr.log"
  kill -s TERM -- "-$diamond_program"
  diamond_pause 10 && kill -s KILL -- "-$diamond_program"
}

# Ends with the script even if that was killed, holds none of its files open, and is killed at the end.
diamond_beat() {
  trap - TERM INT USR1 USR2 QUIT
  exec >/dev/null 2>&1 3>&- 4>&-
  local sampling= wait
  while :; do
    printf '%(%s)T\n' -1 >"$diamond_place/heartbeat"
    ! diamond_is_overtaken || { diamond_yield; return; }
    diamond_count
    diamond_follow_limit
    diamond_measure_stop
    wait=$((diamond_stop_at > 0 ? diamond_stop_at - diamond_age : 99))
    [ $wait -gt 0 ] || : >"$diamond_folder/stop"
    [ $wait -ge 1 ] && [ $wait -le 15 ] || wait=15
    [ -n "$sampling" ] || [ $wait -le 5 ] || wait=5
    diamond_pause $wait || return
    [ -n "$sampling" ] || { sampling=1; diamond_sample; }
  done
}

diamond_start_beating() {
  set -m
  coproc diamond_beat
  diamond_beating=$!
  set +m
  disown "$diamond_beating"
}

# A trapped signal interrupts `wait`, and one that comes as the program ends makes bash 5.2 lose its code: a further
# `wait` says -1 or never returns. So after a signal the file is believed, and `wait` is not asked again.
diamond_wait() {
  wait "$diamond_program"
  diamond_code=$?
  [ -n "$diamond_signalled" ] || [ "$diamond_code" -lt 0 ] || return
  until [ -s "$diamond_place/code" ] || ! kill -0 "$diamond_program" 2>/dev/null; do sleep 0.2; done
  diamond_code=143
  [ "$diamond_signalled" != KILL ] || diamond_code=137
  { read -r diamond_code <"$diamond_place/code"; } 2>/dev/null
}

# The work of an overtaken attempt continues, whatever ended its program.
diamond_settle_code() {
  [ "$diamond_code" = 0 ] || ! diamond_is_overtaken || diamond_code=75
}

# What a program leaves in artifacts/ is a result, also if it never says so.
diamond_note_artifacts() {
  local entry
  for entry in "$diamond_run_dir"/artifacts/* "$diamond_run_dir"/artifacts/.[!.]*; do
    [ -e "$entry" ] || continue
    { printf '%s\n' '{"results":[{"name":"artifacts","path":"artifacts"}]}' >>"$diamond_place/facts.jsonl"; } 2>/dev/null
    return
  done
}

# One line in one write: whoever reads it believes it once it ends. Without room there is no exit file, and the batch
# system's word decides: it hears the same code.
diamond_write_exit() {
  diamond_clock
  { printf '%s %s\n' "$diamond_code" "$diamond_time" >"$diamond_place/exit"; } 2>/dev/null ||
    { rm -f "$diamond_place/exit"; return; }
  diamond_mark "$diamond_run.exit"
}

# `script.sh shell RUN [COMMAND...]`: one more process in a run that is under way (`diamond shell`). It claims and writes nothing,
# and what is started by hand adds nothing to the curves of the run.
diamond_open_shell() {
  diamond_run=$1
  diamond_place=$PWD/runs/$diamond_run
  shift
  local begun= left=
  { read -r _ _ _ begun left _ <"$diamond_place/started"; } 2>/dev/null
  DIAMOND_DEADLINE=$((begun + ${left/-/0}))
  [ "${left:--}" != - ] || DIAMOND_DEADLINE=
  { read -r DIAMOND_DEADLINE <deadline; } 2>/dev/null
  diamond_set_variables
  [ ! -d "$diamond_place/secrets" ] || export DIAMOND_SECRETS=$diamond_place/secrets
  diamond_enter >&2
  unset DIAMOND_METRICS
  cd "$DIAMOND_RUN_DIR" || exit
  [ $# -gt 0 ] || set -- sh -c 'command -v bash >/dev/null && exec bash --norc; exec sh'
  export PS1="diamond \\w\\$ "
  exec env "${diamond_inside[@]}" "$@"
}
[ "${1-}" != shell ] || { shift; diamond_open_shell "$@"; exit; }

diamond_clock
diamond_claim
[ ! -e tombstone ] || diamond_called_off
[ ! -e over ] || diamond_was_judged
diamond_await_turn
diamond_take_turn
diamond_program= diamond_signalled= diamond_stop_at=0
trap 'diamond_pass_on TERM' TERM
trap 'diamond_pass_on INT' INT
trap 'diamond_pass_on USR1' USR1
trap 'diamond_pass_on USR2' USR2
trap diamond_kill QUIT
diamond_open_run
diamond_measure_time
diamond_say_started
diamond_keep_budget
diamond_note_facts
diamond_set_variables
diamond_note_inputs
diamond_hand_over_secrets
diamond_enter >&3 2>&4
diamond_note_packages
diamond_mount_archives
diamond_fill_caches
diamond_choose_command
diamond_start
diamond_start_beating
diamond_wait
kill -- "-$diamond_beating" 2>/dev/null
[ -z "$diamond_secret_place" ] || rm -rf -- "$diamond_secret_place"
diamond_unmount_archives
diamond_leave_caches
diamond_settle_code
diamond_note_artifacts
diamond_write_exit
exit "$diamond_code"
