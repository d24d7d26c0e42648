import { Alert, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCoin } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { Words } from "~/components/Words";
import { duration, durations, figure, hours } from "~/lib/format";
import { Pairs } from "../Pairs";
import classes from "./Plan.module.css";
import { attemptWords, lossWords, waitWords } from "./words";

type Plan = Schemas["Plan"];

/** What the service reckons, in a few lines and a picture of the other ways. */
export function PlanAnswer({ plan }: { plan: Plan }) {
  return (
    <Stack gap="md">
      <section aria-labelledby="plan-title">
        <Title order={2} id="plan-title" mb={4}>
          Finishes in {durations(plan.finish.soonest, plan.finish.latest)}
        </Title>
        <Pairs
          pairs={[
            [
              "Steps",
              `${plan.steps.toLocaleString()} × ${figure(plan.step_seconds)} s${pace(plan)}`,
            ],
            ["Attempts", attemptWords(plan)],
            ["Queue wait", waitWords(plan.waits)],
            ["Checkpoints", `every ${duration(plan.save_every_seconds)}, ${plan.saves} in total`],
            ["Cost", costWords(plan)],
            ["Work at risk", lossWords(plan)],
          ]}
        />
      </section>
      {plan.budget && <Budget ceiling={plan.budget} />}
      {plan.warnings.map((words) => (
        <Alert key={words} color="yellow" icon={<IconAlertTriangle aria-hidden />} role="note">
          <Words text={words} />
        </Alert>
      ))}
      {plan.others.length > 0 && <Others plan={plan} />}
    </Stack>
  );
}

function Budget({ ceiling }: { ceiling: Schemas["Ceiling"] }) {
  const Icon = ceiling.fits ? IconCircleCheck : IconCoin;
  return (
    <Alert color={ceiling.fits ? "green" : "orange"} icon={<Icon aria-hidden />} title="Budget">
      {ceiling.words}
    </Alert>
  );
}

/** The same work with other time limits, each as a bar to the soonest end and on to the latest. */
function Others({ plan }: { plan: Plan }) {
  const own = {
    walltime_minutes: plan.attempt_minutes,
    attempts: plan.attempts,
    finish: plan.finish,
    node_hours: plan.node_hours,
  };
  const all = [own, ...plan.others].sort((a, b) => a.walltime_minutes - b.walltime_minutes);
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
          {all.map((one) => (
            <Table.Tr key={one.walltime_minutes}>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                {duration(60 * one.walltime_minutes)}
                {one === own && " (current)"}
              </Table.Td>
              <Table.Td>{one.attempts}</Table.Td>
              <Table.Td ta="right">{hours(one.node_hours)}</Table.Td>
              <Table.Td>
                <Bar finish={one.finish} latest={latest} />
                <Text size="xs">{durations(one.finish.soonest, one.finish.latest)}</Text>
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

function pace({ measured }: Plan): string {
  return measured ? ", measured" : "";
}

function costWords(plan: Plan): string {
  const charge = plan.charge_at_most;
  const most = `at most ${hours(plan.node_hours_at_most)}`;
  const units = charge === null ? "" : `, ${figure(charge)} site units`;
  return `${hours(plan.node_hours)} node-hours (${most}${units})`;
}
