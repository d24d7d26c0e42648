import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconBrowser, IconHistory } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { TimeAgo } from "~/components/Time";
import type { FormContent } from "~/jobs/drafts";
import type { DraftState } from "~/jobs/useDraft";
import { useComposer } from "./state/context";

/** What the form was filled with, and that changes are kept. */
export function DraftNote() {
  const { draft, source } = useComposer();
  return (
    <>
      {source.kind === "task" && <FromTask id={source.id} />}
      <DraftSaved draft={draft} />
    </>
  );
}

export function DraftSaved<W extends FormContent>({ draft }: { draft: DraftState<W> }) {
  if (!draft.isChanged) return null;
  return (
    <Group gap={4} ml="auto">
      <Text size="sm" c="dimmed">
        Draft saved in this browser.
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={draft.startOver}>
        Start over
      </Button>
    </Group>
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

/** Says that another tab writes on the same job; nothing is overwritten until one was chosen. */
export function OtherTabWarning<W extends FormContent>({ draft }: { draft: DraftState<W> }) {
  if (!draft.other) return null;
  return (
    <Alert color="orange" icon={<IconBrowser />} title="This draft was changed in another tab">
      <Text size="sm" mb="xs">
        It was saved there <TimeAgo at={draft.other.at / 1000} />. Choose which version to keep;
        nothing is overwritten until then.
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={draft.keepMine}>
          Keep this version
        </Button>
        <Button size="xs" variant="default" onClick={draft.takeOther}>
          Use the other tab's version
        </Button>
      </Group>
    </Alert>
  );
}
