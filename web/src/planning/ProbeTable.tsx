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
import { formatNumber } from "~/lib/format";
import classes from "./Scale.module.css";
import { type Probe, probeResult, probeStatus, type Scale } from "./scaling";

const ICONS: Record<string, TablerIcon> = {
  waiting: IconClock,
  measured: IconCheck,
  failed: IconAlertTriangle,
  skipped: IconMinus,
};

type ProbeTableProps = { scale: Scale; action?: (probe: Probe) => ReactNode };

/** Each test run: its result so far, or why there is none. */
export function ProbeTable({ scale, action }: ProbeTableProps) {
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
              <ProbeName probe={probe} />
              {probe.changed && (
                <Text size="xs" c="dimmed">
                  {probe.changed}
                </Text>
              )}
            </Table.Td>
            <ProbeMeasurement scale={scale} probe={probe} action={action} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function ProbeMeasurement({ scale, probe, action }: ProbeTableProps & { probe: Probe }) {
  if (probe.throughput === null) {
    return <Table.Td colSpan={2}>{probeStatus(probe, scale.steps)}</Table.Td>;
  }
  return (
    <>
      <Table.Td ta="right" className={classes.number}>
        {formatNumber(probe.throughput)}
        {probe.state === "running" && " so far"}
      </Table.Td>
      <Table.Td ta="right" className={classes.number}>
        {probeResult(scale, probe)}
        {action?.(probe)}
      </Table.Td>
    </>
  );
}

function ProbeName({ probe }: { probe: Probe }) {
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
