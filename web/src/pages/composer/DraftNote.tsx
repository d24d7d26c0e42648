import { Anchor, Group, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { DraftSaved } from "~/jobs/DraftStatus";
import { useComposer } from "./state/context";

/** What the form was filled in from, and that the draft is saved. */
export function DraftNote() {
  const { draft, source } = useComposer();
  return (
    <>
      {source.kind === "task" && <FromTask id={source.id} />}
      <DraftSaved draft={draft} />
    </>
  );
}

function FromTask({ id }: { id: string }) {
  const { draft } = useComposer();
  return (
    <Group gap={6}>
      <IconHistory size={16} aria-hidden />
      <Text size="sm">
        Filled in from task{" "}
        <Anchor
          inherit
          underline="always"
          ff="monospace"
          renderRoot={(props) => <Link to="/tasks/$task" params={{ task: id }} {...props} />}
        >
          {id.slice(0, 8)}
        </Anchor>
        {draft.work.code ? ", with its code." : "."}
      </Text>
    </Group>
  );
}
