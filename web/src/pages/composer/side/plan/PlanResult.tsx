import { Alert, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCoin } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { duration, durationRange, formatHours, formatNumber } from "~/lib/format";
import { FactTable } from "../FactTable";
import classes from "./Plan.module.css";
import { attemptsText, lossText, waitText } from "./planText";

type Plan = Schemas["Plan"];

/** The estimate, and a comparison with other time limits. */
export function PlanResult({ plan }: { plan: Plan }) {
  return (
    <Stack gap="md">
      <section aria-labelledby="plan-title">
        <Title order={2} id="plan-title" mb={4}>
          Finishes in {durationRange(plan.finish.soonest, plan.finish.latest)}
        </Title>
        <FactTable
          facts={[
            [
              "Steps",
              `${plan.steps.toLocaleString()} × ${formatNumber(plan.step_seconds)} s${paceNote(plan)}`,
            ],
            ["Attempts", attemptsText(plan)],
            ["Queue wait", waitText(plan.waits)],
            ["Checkpoints", `every ${duration(plan.save_every_seconds)}, ${plan.saves} in total`],
            ["Cost", costText(plan)],
            ["Work at risk", lossText(plan)],
          ]}
        />
      </section>
      {plan.budget && <BudgetAlert budget={plan.budget} />}
      {plan.warnings.map((warning) => (
        <Alert key={warning} color="yellow" icon={<IconAlertTriangle aria-hidden />} role="note">
          <MessageText text={warning} />
        </Alert>
      ))}
      {plan.others.length > 0 && <OtherLimits plan={plan} />}
    </Stack>
  );
}

function BudgetAlert({ budget }: { budget: Schemas["Ceiling"] }) {
  const Icon = budget.fits ? IconCircleCheck : IconCoin;
  return (
    <Alert color={budget.fits ? "green" : "orange"} icon={<Icon aria-hidden />} title="Budget">
      {budget.words}
    </Alert>
  );
}

/** The same work with other time limits, each as a bar to its earliest and latest finish. */
function OtherLimits({ plan }: { plan: Plan }) {
  const current = {
    walltime_minutes: plan.attempt_minutes,
    attempts: plan.attempts,
    finish: plan.finish,
    node_hours: plan.node_hours,
  };
  const all = [current, ...plan.others].sort((a, b) => a.walltime_minutes - b.walltime_minutes);
  const latest = Math.max(...all.map(({ finish }) => finish.latest));
  return (
    <section aria-labelledby="others-title">
      <Title order={2} id="others-title" mb={4}>
        Other time limits
      </Title>
      <Table verticalSpacing={4} horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Limit</Table.Th>
            <Table.Th>Attempts</Table.Th>
            <Table.Th ta="right">Node-hours</Table.Th>
            <Table.Th w="45%">Finishes in</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((option) => (
            <Table.Tr key={option.walltime_minutes}>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                {duration(60 * option.walltime_minutes)}
                {option === current && " (current)"}
              </Table.Td>
              <Table.Td>{option.attempts}</Table.Td>
              <Table.Td ta="right">{formatHours(option.node_hours)}</Table.Td>
              <Table.Td>
                <Bar finish={option.finish} latest={latest} />
                <Text size="xs">{durationRange(option.finish.soonest, option.finish.latest)}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Bar({ finish, latest }: { finish: Schemas["FinishSpan"]; latest: number }) {
  const percent = (seconds: number) => `${(100 * seconds) / Math.max(latest, 1)}%`;
  return (
    <div aria-hidden className={classes.track}>
      <div className={classes.latest} style={{ width: percent(finish.latest) }} />
      <div className={classes.soonest} style={{ width: percent(finish.soonest) }} />
    </div>
  );
}

function paceNote({ measured }: Plan): string {
  return measured ? ", measured" : "";
}

function costText(plan: Plan): string {
  const charge = plan.charge_at_most;
  const most = `at most ${formatHours(plan.node_hours_at_most)}`;
  const units = charge === null ? "" : `, ${formatNumber(charge)} site units`;
  return `${formatHours(plan.node_hours)} node-hours (${most}${units})`;
}
