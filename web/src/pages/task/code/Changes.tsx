import { Button, Group, Text } from "@mantine/core";
import { IconGitCommit, IconGitCompare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { shortDigest } from "~/lib/text";
import { taskQuery } from "~/tasks/queries";
import { textQuery } from "../queries";
import { TaskPicker } from "../TaskPicker";
import { diffLineKind } from "./diff";
import { NumberedCode } from "./NumberedCode";
import { listingQuery } from "./queries";
import { NoCode } from "./SpecAndScript";

/** Changes since the last commit, or compared with another task. */
export function Changes({ task }: { task: Task }) {
  const { against } = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const compare = (other?: string) =>
    void navigate({ search: { tab: "code", part: "diff", against: other }, replace: true });
  return (
    <>
      <Group gap="xs">
        <TaskPicker label="Compare with another task" exclude={[task.id]} onPick={compare} />
        {against && (
          <Button size="xs" variant="default" onClick={() => compare()}>
            Compare with the last commit
          </Button>
        )}
      </Group>
      {against ? <SinceTask task={task} against={against} /> : <SinceCommit task={task} />}
    </>
  );
}

/** Differences in spec and code between two tasks. */
function SinceTask({ task, against }: { task: Task; against: string }) {
  const query = useQuery(textQuery(task.id, `diff?${new URLSearchParams({ against })}`));
  const { data: other } = useQuery(taskQuery(against));
  const name = (
    <Link to="/tasks/$task" params={{ task: against }}>
      {other?.name ?? "the other task"} {against.slice(0, 8)}
    </Link>
  );
  return (
    <QueryResult query={query}>
      {(text) =>
        text ? (
          <>
            <Text size="sm" c="dimmed">
              Changes in spec and code from {name} to this task.
            </Text>
            <NumberedCode name="changes.diff" text={text} kindOf={diffLineKind} />
          </>
        ) : (
          <EmptyState icon={IconGitCompare} title="No changes">
            Spec and code are the same as in {name}.
          </EmptyState>
        )
      }
    </QueryResult>
  );
}

/** Uncommitted changes at submission. */
function SinceCommit({ task }: { task: Task }) {
  const listing = useQuery(listingQuery(task.id));
  const query = useQuery({
    ...textQuery(task.id, "diff"),
    enabled: listing.data?.has_diff === true,
  });
  return (
    <QueryResult query={listing}>
      {(code) =>
        code.has_diff ? (
          <QueryResult query={query}>
            {(text) => (
              <>
                <Text size="sm" c="dimmed">
                  Uncommitted changes since commit {code.commit.slice(0, 12)} when the job was
                  submitted.
                </Text>
                <NumberedCode name="changes.diff" text={text} kindOf={diffLineKind} />
              </>
            )}
          </QueryResult>
        ) : (
          <NoChanges code={code} />
        )
      }
    </QueryResult>
  );
}

type Code = { kind: string; commit?: string; git_commit?: string; snapshot?: string };

function NoChanges({ code }: { code: Code }) {
  if (code.kind === "none") return <NoCode />;
  const commit = code.commit || code.git_commit;
  return (
    <EmptyState icon={IconGitCommit} title={commit ? "No changes" : "Not under version control"}>
      {commit
        ? `The code is identical to commit ${commit.slice(0, 12)}.`
        : `The code was stored as snapshot ${shortDigest(code.snapshot ?? "")}.`}
    </EmptyState>
  );
}
