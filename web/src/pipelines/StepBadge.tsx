import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconHistory,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconPlayerStop,
  type TablerIcon,
} from "@tabler/icons-react";
import badge from "~/tasks/StateBadge.module.css";

const ICONS: Record<string, TablerIcon> = {
  waiting: IconClock,
  running: IconPlayerPlay,
  done: IconCircleCheck,
  succeeded: IconCircleCheck,
  cached: IconHistory,
  skipped: IconPlayerSkipForward,
  failed: IconAlertCircle,
  stopped: IconPlayerStop,
  cancelled: IconCircleX,
};
/** The colours of the states of tasks. */
const COLOURS: Record<string, string> = { done: "succeeded", cached: "succeeded" };

/** The state of a pipeline, a stage or a step. */
export function StepBadge({ state, text = state }: { state: string; text?: string }) {
  const Icon = ICONS[state] ?? IconClock;
  return (
    <span className={badge.badge} data-state={COLOURS[state] ?? state}>
      <Icon size={14} aria-hidden />
      <span className={badge.words}>{text}</span>
    </span>
  );
}
