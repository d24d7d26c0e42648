import { Text } from "@mantine/core";
import classes from "~/components/Facts.module.css";
import { ENVIRONMENT_LABELS } from "~/images/environment/labels";
import { isMapping } from "~/jobs/spec/draft";
import { showValue } from "~/jobs/spec/values";
import { count } from "~/lib/format";
import { useBuilder } from "../context";
import { locationOf } from "../work";

const ORDER = Object.keys(ENVIRONMENT_LABELS);

/** The current settings, in the order of the steps. */
export function Summary() {
  const { draft } = useBuilder();
  const { spec } = draft.work;
  const place = locationOf(draft.work);
  const filled = ORDER.filter((field) => spec[field] !== undefined);
  return (
    <dl className={classes.facts} aria-label="Summary">
      <Fact name="Endpoint" value={place === "auto" ? "your default" : place} />
      {!filled.includes("base") && <Fact name="Base image" value="none (virtual environment)" />}
      {filled.map((field) => (
        <Fact
          key={field}
          name={ENVIRONMENT_LABELS[field] ?? field}
          value={fieldText(field, spec[field])}
        />
      ))}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>
        <Text size="sm" lineClamp={4} style={{ whiteSpace: "pre-line" }}>
          {value}
        </Text>
      </dd>
    </div>
  );
}

function fieldText(field: string, value: unknown): string {
  if (value === true) return "yes";
  if (field === "lock") return "included in the environment";
  if (field === "files" && Array.isArray(value)) return count(value.length, "file");
  if (Array.isArray(value)) return value.map(showValue).join(field === "commands" ? "\n" : ", ");
  if (isMapping(value))
    return Object.entries(value)
      .map(([name, entry]) => `${name}=${showValue(entry)}`)
      .join("\n");
  return showValue(value);
}
