import { Badge, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Endpoint } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";
import { type FACTS, factOf } from "~/endpoints/facts";
import { FactEditor } from "./FactEditor";
import classes from "./FactRow.module.css";
import { factText } from "./factText";

export type FactKind = (typeof FACTS)[number];
type KnownFact = { value: unknown; source?: string | null; by?: string | null; at?: number | null };

/** One fact: its value, source and age, the probed value next to a correction, and a way to edit it. */
export function FactRow({ endpoint, fact }: { endpoint: Endpoint; fact: FactKind }) {
  const [editing, setEditing] = useState(false);
  const probed = endpoint.profile.facts[fact.name] as KnownFact | null | undefined;
  const correction = endpoint.profile.corrections[fact.name] as KnownFact | null | undefined;
  const source = correction ?? probed;
  const shown = source && { ...source, value: factOf(endpoint.profile, fact.name) };
  const lines = shown ? factText(fact.name, shown.value) : null;
  const probedLines = correction && probed ? factText(fact.name, probed.value) : [];
  return (
    <section className={classes.row} aria-label={fact.label}>
      <div>
        <Text size="sm" fw={550}>
          {fact.label}
        </Text>
        <Text size="xs" c="dimmed">
          {fact.about}
        </Text>
      </div>
      {editing ? (
        <FactEditor
          endpoint={endpoint}
          fact={fact}
          value={shown?.value}
          onClose={() => setEditing(false)}
        />
      ) : (
        <div>
          <Value lines={lines} />
          <Value lines={probedLines.filter((line) => !lines?.includes(line))} isOld />
        </div>
      )}
      <Source known={shown} corrected={Boolean(correction)} />
      {!editing && (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {correction && <ResetButton endpoint={endpoint} fact={fact} />}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Correct ${fact.label}`}
            onClick={() => setEditing(true)}
          >
            Correct
          </Button>
        </Group>
      )}
    </section>
  );
}

const MAX_LINES = 6;

/** `lines`: null if unknown. */
function Value({ lines: known, isOld = false }: { lines: string[] | null; isOld?: boolean }) {
  const [all, setAll] = useState(false);
  const lines = known ?? ["unknown"];
  if (!lines.length) return null;
  const shown = all ? lines : lines.slice(0, MAX_LINES);
  return (
    <div className={classes.value}>
      {isOld && (
        <Text size="xs" c="dimmed">
          Probed value (not used):
        </Text>
      )}
      {shown.map((line) => (
        <Text
          key={line}
          size="sm"
          c={isOld || !known ? "dimmed" : undefined}
          className={isOld ? classes.old : ""}
        >
          {line}
        </Text>
      ))}
      {shown.length < lines.length && (
        <Button size="compact-xs" variant="subtle" onClick={() => setAll(true)}>
          Show all {lines.length}
        </Button>
      )}
    </div>
  );
}

function Source({ known, corrected }: { known?: KnownFact | null; corrected: boolean }) {
  if (!known) return <span />;
  return (
    <div>
      {corrected ? (
        <Badge color="orange">corrected by {known.by ?? "hand"}</Badge>
      ) : (
        <Text size="xs" c="dimmed">
          from {known.source ?? "a file"}
        </Text>
      )}
      {known.at != null && (
        <Text size="xs" c="dimmed" component="div">
          <TimeAgo at={known.at} />
        </Text>
      )}
    </div>
  );
}

function ResetButton({ endpoint, fact }: { endpoint: Endpoint; fact: FactKind }) {
  const reset = useEndpointAction({
    call: () => endpointsApi.change(endpoint.name, { corrections: { [fact.name]: null } }),
    success: `${fact.label}: using the probed value again.`,
  });
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="gray"
      loading={reset.isPending}
      aria-label={`Reset ${fact.label}`}
      onClick={() => reset.run()}
    >
      Reset
    </Button>
  );
}
