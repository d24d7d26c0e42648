import { Anchor, Loader, Table, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconMinus,
  type TablerIcon,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { figure } from "~/lib/format";
import classes from "./Scale.module.css";
import { type Probe, probeWords, type Scale, shareWords } from "./words";

const ICONS: Record<string, TablerIcon> = {
  waiting: IconClock,
  measured: IconCheck,
  failed: IconAlertTriangle,
  skipped: IconMinus,
};

type ProbesProps = { scale: Scale; action?: (probe: Probe) => ReactNode };

/** Each short run: what it gave so far, or why it gave nothing. */
export function Probes({ scale, action }: ProbesProps) {
  return (
    <Table verticalSpacing={4} horizontalSpacing={6} className={classes.probes}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="36%">Run</Table.Th>
          <Table.Th ta="right">Throughput ({scale.unit}/s)</Table.Th>
          <Table.Th ta="right">{scale.kind === "nodes" ? "Efficiency" : "Speed-up"}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {scale.probes.map((probe) => (
          <Table.Tr key={probe.label}>
            <Table.Td>
              <Name probe={probe} />
              {probe.changed && (
                <Text size="xs" c="dimmed">
                  {probe.changed}
                </Text>
              )}
            </Table.Td>
            <Gave scale={scale} probe={probe} action={action} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Gave({ scale, probe, action }: ProbesProps & { probe: Probe }) {
  if (probe.throughput === null) {
    return <Table.Td colSpan={2}>{probeWords(probe, scale.steps)}</Table.Td>;
  }
  return (
    <>
      <Table.Td ta="right" className={classes.number}>
        {figure(probe.throughput)}
        {probe.state === "running" && " so far"}
      </Table.Td>
      <Table.Td ta="right" className={classes.number}>
        {shareWords(scale, probe)}
        {action?.(probe)}
      </Table.Td>
    </>
  );
}

function Name({ probe }: { probe: Probe }) {
  const Icon = ICONS[probe.state];
  return (
    <span className={classes.name} data-state={probe.state}>
      {Icon ? (
        <Icon size={15} aria-hidden />
      ) : (
        <Loader size={13} color="var(--mantine-color-dimmed)" aria-hidden />
      )}
      {probe.task ? (
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => (
            <Link to="/tasks/$task" params={{ task: probe.task }} {...props} />
          )}
        >
          {probe.label}
        </Anchor>
      ) : (
        probe.label
      )}
    </span>
  );
}
