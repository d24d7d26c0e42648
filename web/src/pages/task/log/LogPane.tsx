import { ActionIcon, Button, Group, Text, Tooltip } from "@mantine/core";
import { IconArrowBarDown, IconArrowBarUp, IconDownload, IconLink } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Task } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { SkeletonLines } from "~/components/SkeletonLines";
import { showSuccess } from "~/components/toasts";
import { formatBytes } from "~/lib/format";
import classes from "./Log.module.css";
import { LogLines } from "./LogLines";
import { LogSearch } from "./LogSearch";
import type { LogSource } from "./logSource";
import { useLogWindow } from "./useLogWindow";

const NAMES = { stdout: "Output", stderr: "Errors" };

type PaneProps = { task: Task; source: LogSource; wrap: boolean; half: boolean };

/** One log: search, follow, jump, link, download. */
export function LogPane({ task, source, wrap, half }: PaneProps) {
  const search = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const log = useLogWindow(task, source, half ? undefined : search.at);
  const [find, setFind] = useState(search.find ?? "");
  const firstShown = useRef(0);
  const { state, window } = log;
  const link = (offset: number) => {
    void navigate({
      search: (now) => ({ ...now, stream: source.stream, at: offset }),
      replace: true,
    });
    log.goTo(offset);
    showSuccess("Link to this line is in the address bar");
  };
  return (
    <section
      className={classes.pane}
      data-half={half || undefined}
      aria-label={NAMES[source.stream]}
    >
      <Group gap="xs" className={classes.bar}>
        <Text size="sm" fw={600}>
          {NAMES[source.stream]}
        </Text>
        <Text size="xs" c="dimmed">
          {formatBytes(state.size)}
          {state.source === "cluster" && ", read from the endpoint"}
        </Text>
        <LogSearch task={task.id} source={source} text={find} onText={setFind} onGoTo={log.goTo} />
        <Group gap={4} ml="auto">
          <IconButton label="Go to the start" icon={IconArrowBarUp} onClick={() => log.goTo(0)} />
          <IconButton label="Go to the end" icon={IconArrowBarDown} onClick={log.goToEnd} />
          <IconButton
            label="Link to the first visible line"
            icon={IconLink}
            onClick={() => link(firstShown.current)}
          />
          {source.download && (
            <Tooltip label="Download full log">
              <ActionIcon
                variant="subtle"
                color="gray"
                component="a"
                href={source.download}
                download
                aria-label="Download full log"
              >
                <IconDownload size={17} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      </Group>
      {state.error && <ErrorAlert error={state.error} onRetry={() => void window.openEnd()} />}
      {state.lines.length === 0 && !state.error ? (
        <div className={classes.empty}>
          {state.busy ? <SkeletonLines count={6} height={14} /> : "Empty."}
        </div>
      ) : (
        <LogLines
          label={NAMES[source.stream]}
          log={log}
          wrap={wrap}
          find={find}
          onLink={link}
          onFirstShown={(offset) => {
            firstShown.current = offset;
          }}
        />
      )}
      <PositionBar log={log} />
    </section>
  );
}

type IconButtonProps = { label: string; icon: typeof IconLink; onClick: () => void };

function IconButton({ label, icon: Icon, onClick }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={label}>
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The position in a long log, and a way back to its end. */
function PositionBar({ log }: { log: ReturnType<typeof useLogWindow> }) {
  const { state, follow } = log;
  const isPart = state.start > 0 || state.next < state.size;
  if (!isPart && follow) return null;
  return (
    <Group gap="sm" className={classes.foot} wrap="nowrap">
      {isPart && (
        <>
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            {formatBytes(state.start)} – {formatBytes(state.next)} of {formatBytes(state.size)}
          </Text>
          <input
            type="range"
            className={classes.place}
            aria-label="Position in the log"
            aria-valuetext={`${Math.round((100 * state.start) / Math.max(1, state.size))} percent`}
            min={0}
            max={state.size}
            step={Math.max(1, Math.round(state.size / 1_000))}
            value={state.start}
            onChange={(event) => log.goTo(Number(event.currentTarget.value))}
          />
        </>
      )}
      {!follow && (
        <Button size="compact-xs" variant="light" ml="auto" onClick={log.goToEnd}>
          Follow
        </Button>
      )}
    </Group>
  );
}
