import { Text } from "@mantine/core";
import { Answer } from "~/components/Answer";
import classes from "../Composer.module.css";
import { useComposer } from "../state/context";
import { useScript } from "../state/useComposition";

/** The batch script that would be handed over, as the endpoint writes it. */
export function ScriptPane() {
  const { draft } = useComposer();
  return (
    <Answer query={useScript(draft.work)}>
      {({ script, script_reason }) =>
        script ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
          <pre className={classes.script} tabIndex={0} role="region" aria-label="Batch script">
            {script}
          </pre>
        ) : (
          <Text size="sm" c="dimmed" p="md">
            {script_reason || "There is no script yet."}
          </Text>
        )
      }
    </Answer>
  );
}
