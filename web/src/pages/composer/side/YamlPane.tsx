import { Button, Code, List, Skeleton, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { hintOf } from "~/components/ErrorAlert";
import type { TextFault } from "~/jobs/api";
import { faultText } from "~/jobs/faults";
import classes from "../Composer.module.css";
import type { YamlState } from "../state/useYaml";

const YamlEditor = lazy(() => import("~/jobs/YamlEditor"));

/** The spec as text, in sync with the form. */
export function YamlPane({ yaml }: { yaml: YamlState }) {
  return (
    <div className={classes.pane}>
      <div className={classes.editor}>
        <Suspense fallback={<Skeleton height="100%" radius={0} />}>
          <YamlEditor text={yaml.text} faults={yaml.faults} onType={yaml.type} />
        </Suspense>
      </div>
      <YamlNote yaml={yaml} />
    </div>
  );
}

function YamlNote({ yaml }: { yaml: YamlState }) {
  if (yaml.error) {
    return (
      <div className={classes.note} role="status">
        <Text inherit c="var(--mantine-color-error)">
          {yaml.error.message}. {hintOf(yaml.error)}
        </Text>
      </div>
    );
  }
  if (yaml.faults.length) return <Faults yaml={yaml} />;
  if (yaml.replaced !== null) return <ReplacedText text={yaml.replaced} onBack={yaml.type} />;
  return (
    <div className={classes.note}>
      <Text inherit c="dimmed">
        Save this as diamond.yaml next to your code to submit the same job with{" "}
        <Code>diamond run</Code>.
      </Text>
    </div>
  );
}

function Faults({ yaml }: { yaml: YamlState }) {
  return (
    <div className={classes.note} role="status">
      <List size="xs" spacing={2}>
        {yaml.faults.map((fault) => (
          <List.Item key={`${fault.line} ${fault.field} ${fault.message}`}>
            {locationOf(fault)}
            {faultText(fault)}
          </List.Item>
        ))}
      </List>
      {yaml.isBroken && (
        <Text inherit c="dimmed" mt={4}>
          The form shows the last valid version until this is fixed.
        </Text>
      )}
    </div>
  );
}

function locationOf({ line, field }: TextFault): string {
  if (line) return `Line ${line}: `;
  return field ? `${field}: ` : "";
}

function ReplacedText({ text, onBack }: { text: string; onBack: (text: string) => void }) {
  return (
    <div className={classes.note}>
      <Text inherit c="dimmed" span>
        The form was changed after you typed here, so the text was replaced.{" "}
      </Text>
      <Button size="compact-xs" variant="subtle" onClick={() => onBack(text)}>
        Restore my text
      </Button>
    </div>
  );
}
