import { Autocomplete, Group, Radio, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Endpoint } from "~/api/client";
import { endpointsQuery } from "~/api/queries";
import { Answer } from "~/components/Answer";
import { EndpointBadge } from "~/components/EndpointBadge";
import { faultAt } from "~/pages/composer/state/context";
import { factOf } from "~/pages/endpoints/facts";
import classes from "../Builder.module.css";
import { useBuilder, useText } from "../context";
import { Step } from "./Step";

/** Where it is built; it can be brought to any other endpoint afterwards. */
export function EndpointStep() {
  return (
    <Step
      title="Where to build it"
      help="Best where it will be used first. It can be brought to your other endpoints later."
    >
      <Answer query={useQuery(endpointsQuery)}>
        {({ items }) => (
          <>
            <Endpoints endpoints={items} />
            <Queue endpoints={items} />
          </>
        )}
      </Answer>
    </Step>
  );
}

function Endpoints({ endpoints }: { endpoints: Endpoint[] }) {
  const { draft, faults } = useBuilder();
  const mine = endpoints.find((one) => one.default)?.name;
  const choose = (endpoint: string) =>
    draft.change((work) => ({ ...work, endpoint, partition: "", account: "" }));
  return (
    <Radio.Group
      aria-label="Endpoint"
      value={draft.work.endpoint}
      onChange={choose}
      error={faultAt(faults, "on") ?? faultAt(faults, "endpoint")}
    >
      <div className={classes.cards}>
        <Choice
          value="auto"
          title="Automatic"
          words={mine ? `My default, ${mine}` : "My default endpoint"}
        />
        {endpoints.map((endpoint) => (
          <Choice
            key={endpoint.id}
            value={endpoint.name}
            title={endpoint.name}
            words={toolWords(endpoint)}
            endpoint={endpoint}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

type ChoiceProps = { value: string; title: string; words: string; endpoint?: Endpoint };

function Choice({ value, title, words, endpoint }: ChoiceProps) {
  return (
    <Radio.Card value={value} className={classes.card} aria-label={title}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Radio.Indicator />
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={550}>
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            {words}
          </Text>
          {endpoint && endpoint.state !== "online" && <EndpointBadge endpoint={endpoint} />}
        </div>
      </Group>
    </Radio.Card>
  );
}

/** The container tools that were found there. */
function toolWords({ profile }: Endpoint): string {
  const runtimes = factOf(profile, "runtimes") ?? {};
  const tools = new Set(Object.values(runtimes).flatMap((found) => Object.keys(found ?? {})));
  return [...tools].join(", ") || "no container tool found yet";
}

/** Who pays and which queue, where the endpoint has queues. */
function Queue({ endpoints }: { endpoints: Endpoint[] }) {
  const { draft } = useBuilder();
  const { endpoint } = draft.work;
  const chosen = endpoints.find((one) =>
    endpoint === "auto" ? one.default : one.name === endpoint,
  );
  const partition = useText("partition");
  const account = useText("account");
  const walltime = useText("walltime");
  const memory = useText("memory");
  const scheduler = chosen && factOf(chosen.profile, "scheduler");
  if (!chosen || !scheduler || scheduler.abilities?.runs_on_this_node) return null;
  const accounts = factOf(chosen.profile, "accounts")?.map((one) => one.name);
  const partitions = factOf(chosen.profile, "partitions")?.map((one) => one.name);
  const choose = (name: "partition" | "account") => (value: string) =>
    draft.change((work) => ({ ...work, [name]: value }));
  return (
    <>
      <Text size="sm">
        The build runs as a job of {chosen.name}. What you leave empty is chosen for you.
      </Text>
      <div className={classes.two}>
        {endpoint !== "auto" && (
          <Autocomplete
            {...partition}
            label="Partition"
            data={partitions}
            filter={({ options }) => options}
            onChange={choose("partition")}
          />
        )}
        <Autocomplete
          {...account}
          label="Account"
          data={accounts}
          filter={({ options }) => options}
          onChange={choose("account")}
        />
        <TextInput {...walltime} label="Time limit" placeholder="1h" />
        <TextInput {...memory} label="Memory" placeholder="8GB" />
      </div>
    </>
  );
}
