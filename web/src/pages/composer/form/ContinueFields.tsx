import { Checkbox, Stack } from "@mantine/core";
import classes from "../Composer.module.css";
import { labelOf } from "../fieldLabels";
import { useField } from "../state/context";
import { useChoices, useSpecSchema } from "../state/useSpecSchema";
import { CountField, TextField } from "./fields";

const CAUSES: Record<string, string> = {
  "exit-75": "the program exits with code 75",
  "wall-time": "the time limit is reached",
  preempted: "the job is preempted by the site",
  "node-lost": "a node fails",
  "out-of-memory": "the job runs out of memory",
  "exit-code": "the program fails",
};

/** When a job continues automatically with another attempt, and where that ends. */
export function ContinueFields() {
  return (
    <Stack gap="md">
      <CausesField />
      <div className={classes.two}>
        <TextField
          path="continue.from"
          placeholder="ckpt/*.pt"
          help="The newest match is passed on. In the command, {resume:--resume %} adds an option only when there is one."
        />
        <TextField path="continue.lead" placeholder="2m" help="Time to save before the limit." />
        <CountField path="continue.max_attempts" help="Total, including the first." />
        <TextField
          path="budget"
          placeholder="200 node-hours"
          help="No attempt starts that could exceed it."
        />
      </div>
      <QueueAheadField />
    </Stack>
  );
}

function CausesField() {
  const field = useField("continue.on");
  const chosen = Array.isArray(field.value) ? field.value.map(String) : [];
  return (
    <Checkbox.Group
      id={field.id}
      label={labelOf("continue.on")}
      error={field.fault}
      value={chosen}
      onChange={field.set}
    >
      <div className={classes.two} style={{ rowGap: 8, marginTop: 6 }}>
        {useChoices("$defs.ContinueSpec.properties.on.items").map((cause) => (
          <Checkbox key={cause} value={cause} label={CAUSES[cause] ?? cause} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function QueueAheadField() {
  const field = useField("continue.ahead");
  const defaultValue = useSpecSchema("$defs.ContinueSpec.properties.ahead.default");
  return (
    <Checkbox
      id={field.id}
      label={labelOf("continue.ahead")}
      description="The next attempt is then already in the queue when this one ends. Attempts that are not needed are cancelled."
      error={field.fault}
      checked={Boolean(field.value ?? defaultValue)}
      onChange={({ currentTarget: { checked } }) =>
        field.set(checked === defaultValue ? undefined : checked)
      }
    />
  );
}
