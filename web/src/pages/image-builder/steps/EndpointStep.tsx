import { Autocomplete, Group, Radio, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Endpoint } from "~/api/client";
import { FormCard } from "~/components/FormCard";
import { QueryResult } from "~/components/QueryResult";
import { EndpointBadge } from "~/endpoints/EndpointBadge";
import { factOf } from "~/endpoints/facts";
import { endpointsQuery } from "~/endpoints/queries";
import { faultAt } from "~/jobs/faults";
import { useBuilder, useTextField } from "../context";
import classes from "../ImageBuilder.module.css";

/** Where to build; the image can be transferred later. */
export function EndpointStep() {
  return (
    <FormCard
      title="Build location"
      help="Best where you will use the image first. You can transfer it to other endpoints later."
    >
      <QueryResult query={useQuery(endpointsQuery)}>
        {({ items }) => (
          <>
            <Endpoints endpoints={items} />
            <QueueFields endpoints={items} />
          </>
        )}
      </QueryResult>
    </FormCard>
  );
}

function Endpoints({ endpoints }: { endpoints: Endpoint[] }) {
  const { draft, faults } = useBuilder();
  const defaultName = endpoints.find((endpoint) => endpoint.default)?.name;
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
        <EndpointChoice
          value="auto"
          title="Automatic"
          description={defaultName ? `Your default: ${defaultName}` : "Your default endpoint"}
        />
        {endpoints.map((endpoint) => (
          <EndpointChoice
            key={endpoint.id}
            value={endpoint.name}
            title={endpoint.name}
            description={toolNames(endpoint)}
            endpoint={endpoint}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

type EndpointChoiceProps = {
  value: string;
  title: string;
  description: string;
  endpoint?: Endpoint;
};

function EndpointChoice({ value, title, description, endpoint }: EndpointChoiceProps) {
  return (
    <Radio.Card value={value} className={classes.card} aria-label={title}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Radio.Indicator />
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={550}>
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            {description}
          </Text>
          {endpoint && endpoint.state !== "online" && <EndpointBadge endpoint={endpoint} />}
        </div>
      </Group>
    </Radio.Card>
  );
}

/** The container tools found there. */
function toolNames({ profile }: Endpoint): string {
  const runtimes = factOf(profile, "runtimes") ?? {};
  const tools = new Set(Object.values(runtimes).flatMap((versions) => Object.keys(versions ?? {})));
  return [...tools].join(", ") || "no container tool found";
}

/** Account and partition, if the endpoint has a batch system. */
function QueueFields({ endpoints }: { endpoints: Endpoint[] }) {
  const { draft } = useBuilder();
  const { endpoint } = draft.work;
  const chosen = endpoints.find((candidate) =>
    endpoint === "auto" ? candidate.default : candidate.name === endpoint,
  );
  const partition = useTextField("partition");
  const account = useTextField("account");
  const walltime = useTextField("walltime");
  const memory = useTextField("memory");
  const scheduler = chosen && factOf(chosen.profile, "scheduler");
  if (!chosen || !scheduler || scheduler.abilities?.runs_on_this_node) return null;
  const accounts = factOf(chosen.profile, "accounts")?.map((account) => account.name);
  const partitions = factOf(chosen.profile, "partitions")?.map((partition) => partition.name);
  const choose = (name: "partition" | "account") => (value: string) =>
    draft.change((work) => ({ ...work, [name]: value }));
  return (
    <>
      <Text size="sm">
        The build runs as a job on {chosen.name}. Empty fields are chosen automatically.
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
