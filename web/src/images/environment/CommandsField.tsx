import { ActionIcon, Button, Group, Input, Stack, Textarea } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { showValue } from "~/jobs/spec/values";
import { withMoved, withoutAt, withReplaced } from "~/lib/lists";
import { useEnvironmentField } from "./context";
import { ENVIRONMENT_LABELS } from "./labels";

/** Build commands in order. Each is a cached step, so a later change only reruns what follows. */
export function CommandsField() {
  const field = useEnvironmentField("commands");
  const commands = Array.isArray(field.value) ? field.value.map(showValue) : [];
  return (
    <Input.Wrapper
      label={ENVIRONMENT_LABELS.commands}
      labelElement="div"
      description="Run in this order, inside the image. Put commands that change often last: earlier steps are cached and not run again."
      inputWrapperOrder={["label", "description", "input", "error"]}
      error={field.fault}
      id={field.id}
      role="group"
      aria-label={ENVIRONMENT_LABELS.commands}
      tabIndex={-1}
    >
      <Stack gap={6} mt={6}>
        {commands.map((command, index) => (
          <Command
            // biome-ignore lint/suspicious/noArrayIndexKey: a command is its place
            key={index}
            at={index}
            total={commands.length}
            command={command}
            onChange={(text) => field.set(withReplaced(commands, index, text))}
            onMove={(by) => field.set(withMoved(commands, index, by))}
            onRemove={() => field.set(withoutAt(commands, index))}
            onBlur={field.touch}
          />
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => field.set([...commands, ""])}
          >
            Add command
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

type CommandProps = {
  at: number;
  total: number;
  command: string;
  onChange: (text: string) => void;
  onMove: (by: number) => void;
  onRemove: () => void;
  onBlur: () => void;
};

function Command({ at, total, command, onChange, onMove, onRemove, onBlur }: CommandProps) {
  const name = `command ${at + 1}`;
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Textarea
        flex={1}
        autosize
        minRows={1}
        maxRows={14}
        aria-label={`Command ${at + 1}`}
        placeholder="pip install --no-deps ./package"
        value={command}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
        spellCheck={false}
        autoFocus={!command}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      <IconButton
        label={`Move ${name} up`}
        icon={IconArrowUp}
        onClick={() => onMove(-1)}
        off={at === 0}
      />
      <IconButton
        label={`Move ${name} down`}
        icon={IconArrowDown}
        onClick={() => onMove(1)}
        off={at === total - 1}
      />
      <IconButton label={`Remove ${name}`} icon={IconTrash} onClick={onRemove} />
    </Group>
  );
}

type IconButtonProps = {
  label: string;
  icon: typeof IconTrash;
  onClick: () => void;
  off?: boolean;
};

function IconButton({ label, icon: Icon, onClick, off = false }: IconButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={34}
      onClick={onClick}
      disabled={off}
      style={off ? { background: "transparent" } : undefined}
      aria-label={label}
    >
      <Icon size={16} />
    </ActionIcon>
  );
}
