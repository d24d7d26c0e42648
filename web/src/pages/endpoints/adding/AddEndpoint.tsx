import { Button, Group, Modal, Stack, Text, ThemeIcon, UnstyledButton } from "@mantine/core";
import { IconDeviceLaptop, IconServerCog, type TablerIcon } from "@tabler/icons-react";
import type { Way } from "../search";
import classes from "./AddEndpoint.module.css";
import { ByPairing } from "./ByPairing";
import { BySsh } from "./BySsh";

type AddProps = { way: Way; onWay: (way: Way) => void; onClose: () => void };

/** Leads from "I have an account there" to an endpoint that is connected. */
export function AddEndpoint({ way, onWay, onClose }: AddProps) {
  return (
    <Modal opened onClose={onClose} title="Add an endpoint" size="lg">
      {way === "choose" && <Choose onWay={onWay} />}
      {way === "ssh" && <BySsh onClose={onClose} />}
      {way === "pairing" && <ByPairing onClose={onClose} />}
      {way !== "choose" && (
        <Group mt="md">
          <Button variant="subtle" size="xs" color="gray" onClick={() => onWay("choose")}>
            Choose another way
          </Button>
        </Group>
      )}
    </Modal>
  );
}

function Choose({ onWay }: { onWay: (way: Way) => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Either way one file is put on the machine. It runs as you, needs no administrator and opens
        no port.
      </Text>
      <Choice icon={IconDeviceLaptop} title="With my own ssh" onClick={() => onWay("ssh")}>
        Diamond runs on my computer, and <code>ssh</code> to the cluster works in my terminal. My
        password or second factor is asked for there, as always.
      </Choice>
      <Choice icon={IconServerCog} title="By pairing" onClick={() => onWay("pairing")}>
        Diamond runs on a server that the cluster can reach. I paste one line on the login node, and
        confirm here that it was me.
      </Choice>
    </Stack>
  );
}

type ChoiceProps = {
  icon: TablerIcon;
  title: string;
  onClick: () => void;
  children: React.ReactNode;
};

function Choice({ icon: Icon, title, onClick, children }: ChoiceProps) {
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
