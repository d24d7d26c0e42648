import { Text } from "@mantine/core";
import { CodeText } from "~/components/CodeText";
import { QueryResult } from "~/components/QueryResult";
import { useComposer } from "../state/context";
import { useScript } from "../state/useComposition";

/** The batch script that would be submitted, as the endpoint renders it. */
export function ScriptPane() {
  const { draft } = useComposer();
  return (
    <QueryResult query={useScript(draft.work)}>
      {({ script, script_reason }) =>
        script ? (
          <CodeText label="Batch script" text={script} />
        ) : (
          <Text size="sm" c="dimmed" p="md">
            {script_reason || "No script yet."}
          </Text>
        )
      }
    </QueryResult>
  );
}
