import { Anchor, Card, Grid, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Schemas, Task } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { count, formatBytes } from "~/lib/format";
import { textQuery } from "../queries";
import classes from "./CodeFiles.module.css";
import { NumberedCode } from "./NumberedCode";
import { listingQuery } from "./queries";
import { NoCode } from "./SpecAndScript";

/** The files the task ran, as they were at submission. */
export function CodeFiles({ task }: { task: Task }) {
  const query = useQuery(listingQuery(task.id));
  return (
    <QueryResult query={query}>
      {(code) => {
        if (code.kind === "none") return <NoCode />;
        if (code.kind === "git") return <FromGit code={code} />;
        if (code.removed) return <Removed code={code} at={code.removed} />;
        return <Snapshot task={task} code={code} />;
      }}
    </QueryResult>
  );
}

type Listing = Schemas["CodeListing"];

function FromGit({ code }: { code: Listing }) {
  return (
    <Card>
      <Text size="sm" mb="xs">
        The endpoint fetched this code with your account:
      </Text>
      <CopyLine line={`${code.git_url}@${code.git_commit}`} label="Copy address" />
    </Card>
  );
}

function Removed({ code, at }: { code: Listing; at: number }) {
  return (
    <Card>
      <Text size="sm" mb="xs">
        This code was removed from the service <TimeAgo at={at} />. The record of the task keeps its
        digest; sending the same folder again brings the code back.
      </Text>
      <CopyLine line={code.snapshot ?? ""} label="Copy digest" />
    </Card>
  );
}

function Snapshot({ task, code }: { task: Task; code: Listing }) {
  const { path } = useSearch({ from: "/tasks/$task" });
  const files = code.files ?? [];
  const shown = path ?? files.find((file) => file.preview === "text")?.path;
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack>
          <Card p={0} component="nav" aria-label="Code files">
            <ul className={classes.files}>
              {files.map((file) => (
                <li key={file.path} data-shown={file.path === shown || undefined}>
                  <Anchor
                    size="sm"
                    aria-current={file.path === shown ? "true" : undefined}
                    renderRoot={(props) => (
                      <Link
                        to="/tasks/$task"
                        params={{ task: task.id }}
                        search={{ tab: "code", part: "files", path: file.path }}
                        {...props}
                      />
                    )}
                  >
                    {file.path}
                  </Anchor>
                  <Text size="xs" c="dimmed">
                    {file.link ? `→ ${file.link}` : file.size != null && formatBytes(file.size)}
                  </Text>
                </li>
              ))}
            </ul>
          </Card>
          <ExcludedFiles names={code.left_out ?? []} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        {shown && <File key={shown} task={task} path={shown} />}
      </Grid.Col>
    </Grid>
  );
}

function File({ task, path }: { task: Task; path: string }) {
  const query = useQuery(textQuery(task.id, `code/content?${new URLSearchParams({ path })}`));
  return (
    <QueryResult query={query}>{(text) => <NumberedCode name={path} text={text} />}</QueryResult>
  );
}

function ExcludedFiles({ names }: { names: string[] }) {
  if (!names.length) return null;
  return (
    <details>
      <summary className={classes.summary}>
        {count(names.length, "file or folder", "files or folders")} excluded
      </summary>
      <List size="xs" mt="xs">
        {names.map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
    </details>
  );
}
