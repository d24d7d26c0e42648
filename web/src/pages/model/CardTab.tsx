import { Button, Card, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Markdown } from "~/components/markdown/Markdown";
import { QueryResult } from "~/components/QueryResult";
import { cardQuery, curvesAddress, type Model, modelsApi } from "~/models/api";
import { useModelAction } from "./useModelAction";

/** The card: written from the record until somebody edits it. */
export function CardTab({ model }: { model: Model }) {
  const [isEditing, setEditing] = useState(false);
  const query = useQuery({ ...cardQuery(model.id), enabled: model.newest !== null });
  if (model.newest === null) {
    return (
      <Text c="dimmed" size="sm">
        The card is written with the first version.
      </Text>
    );
  }
  return (
    <QueryResult query={query}>
      {(card) =>
        isEditing ? (
          <EditCard model={model} text={card.text} onDone={() => setEditing(false)} />
        ) : (
          <Card>
            <Group justify="space-between" mb="sm" gap="xs">
              <Text size="xs" c="dimmed">
                {card.is_edited
                  ? "Edited by its owner."
                  : "Written from the record of the run that made the newest version."}
              </Text>
              {model.is_own && (
                <CardActions
                  model={model}
                  isEdited={card.is_edited}
                  onEdit={() => setEditing(true)}
                />
              )}
            </Group>
            <Stack gap="xs">
              <Curves model={model} />
              <Markdown text={shownText(card.text)} />
            </Stack>
          </Card>
        )
      }
    </QueryResult>
  );
}

/** The header that model hubs read, and the picture, are not for this page: it shows both in its own way. */
export function shownText(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n+/, "").replace(/^!\[Curves\]\(curves\.svg\)\n*/m, "");
}

function Curves({ model }: { model: Model }) {
  if (!model.newest?.has_curves) return null;
  return (
    <section aria-label="Curves">
      <Text fw={650} fz="md" mb={4}>
        Curves
      </Text>
      <img
        src={curvesAddress(model.id, model.newest.number)}
        alt={`Curves of version ${model.newest.number}`}
        style={{ maxWidth: "100%", height: "auto" }}
      />
    </section>
  );
}

type ActionsProps = { model: Model; isEdited: boolean; onEdit: () => void };

function CardActions({ model, isEdited, onEdit }: ActionsProps) {
  const reset = useModelAction({
    call: () => modelsApi.change(model.id, { card: "" }),
    success: "The card is generated from the record again",
  });
  return (
    <Group gap="xs">
      {isEdited && (
        <Button size="xs" variant="subtle" loading={reset.isPending} onClick={() => reset.run()}>
          Generate it from the record again
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPencil size={14} aria-hidden />}
        onClick={onEdit}
      >
        Edit
      </Button>
    </Group>
  );
}

type EditProps = { model: Model; text: string; onDone: () => void };

function EditCard({ model, text, onDone }: EditProps) {
  const [typed, setTyped] = useState(text);
  const save = useModelAction({
    call: () => modelsApi.change(model.id, { card: typed }),
    success: "Card saved",
    onSuccess: onDone,
  });
  return (
    <Stack>
      <Textarea
        label="Card in Markdown"
        autosize
        minRows={16}
        maxRows={40}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        data-autofocus
      />
      {save.error && <ErrorAlert error={save.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button loading={save.isPending} disabled={!typed.trim()} onClick={() => save.run()}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}
