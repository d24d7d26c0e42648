import { Button, CloseButton, Group, SegmentedControl, Slider, Switch, Text } from "@mantine/core";
import { IconDownload, IconZoomReset } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { colourOf } from "~/charts/curves";
import type { TaskSearch } from "../search";
import { TaskPicker } from "../TaskPicker";
import { labelsOf } from "./metricSet";
import classes from "./Toolbar.module.css";

/** How curves are drawn and which tasks are compared; all stored in the address. */
export function Toolbar({ task, tasks }: { task: Task; tasks: Task[] }) {
  const search = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const set = (part: TaskSearch) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const others = tasks.slice(1).map(({ id }) => id);
  return (
    <div className={classes.toolbar}>
      <Group gap="lg">
        <Group gap="xs">
          <Text size="sm" id="smoothing">
            Smoothing
          </Text>
          <Slider
            w={120}
            min={0}
            max={0.99}
            step={0.01}
            label={(value) => value.toFixed(2)}
            value={search.smooth ?? 0}
            onChange={(smooth) => set({ smooth: smooth || undefined })}
            thumbProps={{ "aria-labelledby": "smoothing" }}
          />
        </Group>
        <SegmentedControl
          size="xs"
          aria-label="X axis"
          data={[
            { value: "step", label: "By step" },
            { value: "time", label: "By time" },
          ]}
          value={search.x ?? "step"}
          onChange={(x) =>
            set({ x: x === "time" ? "time" : undefined, from: undefined, to: undefined })
          }
        />
        <Switch
          label="Log scale"
          checked={search.log ?? false}
          onChange={(event) => set({ log: event.currentTarget.checked || undefined })}
        />
        <Switch
          label="Single chart"
          checked={search.together ?? false}
          onChange={(event) => set({ together: event.currentTarget.checked || undefined })}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconZoomReset size={14} aria-hidden />}
          disabled={search.from === undefined}
          onClick={() => set({ from: undefined, to: undefined })}
        >
          Reset zoom
        </Button>
        <Button
          size="xs"
          variant="default"
          component="a"
          href={`/api/v1/tasks/${task.id}/metrics.csv`}
          download
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          All data (CSV)
        </Button>
      </Group>
      <Group gap="xs">
        {tasks.length > 1 &&
          tasks.map(({ id }, n) => (
            <span key={id} className={classes.task}>
              <span className={classes.dot} style={{ background: colourOf(n) }} aria-hidden />
              {labelsOf(tasks).get(id)}
              {n > 0 && (
                <CloseButton
                  size="xs"
                  aria-label={`Remove ${labelsOf(tasks).get(id)} from the charts`}
                  onClick={() =>
                    set({ compare: others.filter((other) => other !== id).join(",") || undefined })
                  }
                />
              )}
            </span>
          ))}
        <TaskPicker
          label="Compare with another task"
          exclude={tasks.map(({ id }) => id)}
          onPick={(id) => set({ compare: [...others, id].join(",") })}
        />
      </Group>
    </div>
  );
}
