import { Button, Group, Modal, Stack, Text, ThemeIcon, UnstyledButton } from "@mantine/core";
import { IconDeviceLaptop, IconServerCog, type TablerIcon } from "@tabler/icons-react";
import type { AddMethod } from "../search";
import classes from "./AddEndpoint.module.css";
import { ByPairing } from "./ByPairing";
import { BySsh } from "./BySsh";

type AddProps = { way: AddMethod; onWay: (way: AddMethod) => void; onClose: () => void };

/** Guides from "I have an account there" to a connected endpoint. */
export function AddEndpoint({ way, onWay, onClose }: AddProps) {
  return (
    <Modal opened onClose={onClose} title="Add endpoint" size="lg">
      {way === "choose" && <MethodChoice onWay={onWay} />}
      {way === "ssh" && <BySsh onClose={onClose} />}
      {way === "pairing" && <ByPairing onClose={onClose} />}
      {way !== "choose" && (
        <Group mt="md">
          <Button variant="subtle" size="xs" color="gray" onClick={() => onWay("choose")}>
            Back
          </Button>
        </Group>
      )}
    </Modal>
  );
}

function MethodChoice({ onWay }: { onWay: (way: AddMethod) => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Either way, Diamond puts one file on the machine. It runs as you, needs no administrator
        rights and opens no port.
      </Text>
      <MethodButton icon={IconDeviceLaptop} title="With ssh" onClick={() => onWay("ssh")}>
        For Diamond on your own computer, if <code>ssh</code> to the cluster works in your terminal.
        You enter your password or second factor there, as usual.
      </MethodButton>
      <MethodButton
        icon={IconServerCog}
        title="With a pairing code"
        onClick={() => onWay("pairing")}
      >
        For Diamond on a server that the cluster can reach. You paste one line on the login node and
        confirm it here.
      </MethodButton>
    </Stack>
  );
}

type MethodButtonProps = {
  icon: TablerIcon;
  title: string;
  onClick: () => void;
  children: React.ReactNode;
};

function MethodButton({ icon: Icon, title, onClick, children }: MethodButtonProps) {
  return (
    <UnstyledButton className={classes.choice} onClick={onClick}>
      <ThemeIcon size={40} variant="light" radius="md">
        <Icon size={22} stroke={1.6} aria-hidden />
      </ThemeIcon>
      <div>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      </div>
    </UnstyledButton>
  );
}
