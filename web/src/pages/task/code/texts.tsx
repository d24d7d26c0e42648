import { Alert, Anchor, Text } from "@mantine/core";
import { IconGitCommit } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf, type Task } from "~/api/client";
import { Answer, Empty } from "~/components/Answer";
import { textQuery } from "../queries";
import { shortDigest } from "../words";
import { CodeText } from "./CodeText";
import { kindOf } from "./diff";
import { listingQuery } from "./queries";

/** The spec as it was asked for, as YAML. */
export function Spec({ task }: { task: Task }) {
  const query = useQuery({
    queryKey: ["job-yaml", task.job],
    queryFn: () => yamlOf(task.job),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <Text size="sm" c="dimmed">
        What was asked for. To run it with changes,{" "}
        <Anchor
          underline="always"
          size="sm"
          renderRoot={(props) => <Link to="/compose" search={{ from: task.id }} {...props} />}
        >
          open it in the composer
        </Anchor>
        .
      </Text>
      <Answer query={query}>
        {({ yaml }) => <CodeText name={`${task.name}.yaml`} text={yaml} />}
      </Answer>
    </>
  );
}

async function yamlOf(job: string) {
  const { spec } = await dataOf(api.GET("/api/v1/jobs/{job}", { params: { path: { job } } }));
  return dataOf(api.POST("/api/v1/spec/render", { body: { spec } }));
}

export function Script({ task }: { task: Task }) {
  const query = useQuery(textQuery(task.id, "script"));
  return (
    <Answer query={query}>
      {(text) => (
        <>
          <Text size="sm" c="dimmed">
            What Diamond handed to the batch system of {task.endpoint}.
          </Text>
          <CodeText name="script.sh" text={text} />
        </>
      )}
    </Answer>
  );
}

/** What had changed in the work tree since its commit. */
export function Changes({ task }: { task: Task }) {
  const listing = useQuery(listingQuery(task.id));
  const query = useQuery({
    ...textQuery(task.id, "diff"),
    enabled: listing.data?.has_diff === true,
  });
  return (
    <Answer query={listing}>
      {(code) =>
        code.has_diff ? (
          <Answer query={query}>
            {(text) => (
              <>
                <Text size="sm" c="dimmed">
                  What had been changed since commit {code.commit.slice(0, 12)} when the job was
                  sent.
                </Text>
                <CodeText name="changes.diff" text={text} kindOf={kindOf} />
              </>
            )}
          </Answer>
        ) : (
          <NoChanges code={code} />
        )
      }
    </Answer>
  );
}

type Code = { kind: string; commit?: string; git_commit?: string; snapshot?: string };

function NoChanges({ code }: { code: Code }) {
  if (code.kind === "none") return <NoCode />;
  const commit = code.commit || code.git_commit;
  return (
    <Empty
      icon={IconGitCommit}
      title={commit ? "Nothing was changed" : "Not under version control"}
    >
      {commit
        ? `The code ran as it is in commit ${commit.slice(0, 12)}.`
        : `The code was taken as it was; its snapshot is ${shortDigest(code.snapshot ?? "")}.`}
    </Empty>
  );
}

export function NoCode() {
  return (
    <Alert color="gray" title="This task brought no code along">
      Its command uses what is already on the endpoint.
    </Alert>
  );
}
