import { Alert, Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf, type Task } from "~/api/client";
import { QueryResult } from "~/components/QueryResult";
import { textQuery } from "../queries";
import { NumberedCode } from "./NumberedCode";

/** The spec as submitted, as YAML. */
export function SpecView({ task }: { task: Task }) {
  const query = useQuery({
    queryKey: ["job-yaml", task.job],
    queryFn: () => yamlOf(task.job),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <Text size="sm" c="dimmed">
        The spec as submitted. To run it with changes,{" "}
        <Anchor
          underline="always"
          size="sm"
          renderRoot={(props) => <Link to="/compose" search={{ from: task.id }} {...props} />}
        >
          edit and resubmit it
        </Anchor>
        .
      </Text>
      <QueryResult query={query}>
        {({ yaml }) => <NumberedCode name={`${task.name}.yaml`} text={yaml} />}
      </QueryResult>
    </>
  );
}

async function yamlOf(job: string) {
  const { spec } = await dataOf(api.GET("/api/v1/jobs/{job}", { params: { path: { job } } }));
  return dataOf(api.POST("/api/v1/spec/render", { body: { spec } }));
}

export function ScriptView({ task }: { task: Task }) {
  const query = useQuery(textQuery(task.id, "script"));
  return (
    <QueryResult query={query}>
      {(text) => (
        <>
          <Text size="sm" c="dimmed">
            The script Diamond submitted on {task.endpoint}.
          </Text>
          <NumberedCode name="script.sh" text={text} />
        </>
      )}
    </QueryResult>
  );
}

export function NoCode() {
  return (
    <Alert color="gray" title="This task has no code">
      Its command uses files that are already on the endpoint.
    </Alert>
  );
}
