import { Alert, Button, Group, Text } from "@mantine/core";
import { IconBrowser } from "@tabler/icons-react";
import { TimeAgo } from "~/components/Time";
import type { FormContent } from "./drafts";
import type { DraftState } from "./useDraft";

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

/** Warns that another tab has edited the same draft. Nothing is overwritten until one version is chosen. */
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
