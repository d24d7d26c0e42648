import { Select, Text } from "@mantine/core";
import { FormCard } from "~/components/FormCard";
import { withValue } from "~/jobs/spec/draft";
import { showValue } from "~/jobs/spec/values";
import { fromForm } from "~/jobs/work";
import classes from "../Composer.module.css";
import { labelOf } from "../fieldLabels";
import { useComposer, useField } from "../state/context";
import { Collapsible } from "./Collapsible";
import { ChoiceField, TextField } from "./fields";
import { ProjectField } from "./ProjectField";
import { RawOptions } from "./RawOptions";
import { accountDescriptions, endpointOptions, partitionDescriptions } from "./siteChoices";

const SITE_FIELDS = ["partition", "account", "qos", "reservation", "constraint", "options"];

export function LocationSection() {
  const { composition } = useComposer();
  const choices = composition?.choices;
  const hasQueues = Boolean(choices?.scheduler && choices.has_batch_system);
  return (
    <FormCard title="Location" help="Where the job runs, and which account pays.">
      <EndpointField />
      <ProjectField />
      {hasQueues && (
        <div className={classes.two}>
          <PartitionField />
          <AccountField />
        </div>
      )}
      <Collapsible
        title={hasQueues ? "More batch system options" : "Batch system options"}
        fields={hasQueues ? SITE_FIELDS.slice(2) : SITE_FIELDS}
      >
        {!hasQueues && (
          <div className={classes.two}>
            <PartitionField />
            <AccountField />
          </div>
        )}
        <div className={classes.three}>
          <ChoiceField path="qos" data={choices?.qos} help="As your site calls it." />
          <TextField path="reservation" help="If your site made one for you." />
          <TextField path="constraint" help="Required node features." />
        </div>
        <RawOptions />
      </Collapsible>
    </FormCard>
  );
}

/** Another endpoint has other partitions and accounts, so they are reset. */
function EndpointField() {
  const { draft, composition } = useComposer();
  const field = useField("on");
  const chosen = endpointOf(field.value);
  const choose = (name: string | null) =>
    draft.change((work) =>
      fromForm(work, {
        spec: [...SITE_FIELDS].reduce(
          (spec, path) => withValue(spec, path, undefined),
          withValue(work.spec, "on", name === "auto" ? undefined : (name ?? undefined)),
        ),
      }),
    );
  return (
    <Select
      id={field.id}
      label={labelOf("on")}
      data={endpointOptions(composition?.choices.endpoints ?? [], chosen)}
      value={chosen}
      onChange={choose}
      onBlur={field.touch}
      allowDeselect={false}
      error={field.fault}
      comboboxProps={{ keepMounted: false }}
    />
  );
}

function PartitionField() {
  const { draft, composition } = useComposer();
  const on = useField("on");
  const [, inlinePartition] = splitLocation(on.value);
  const partitions = composition?.choices.partitions ?? [];
  const set = (name: string) =>
    draft.change((work) => {
      const place = inlinePartition ? withValue(work.spec, "on", endpointOf(on.value)) : work.spec;
      return fromForm(work, { spec: withValue(place, "partition", name) });
    });
  return (
    <ChoiceField
      path="partition"
      help="The queue to use."
      placeholder={composition?.partition ? `${composition.partition} (automatic)` : undefined}
      data={partitions.map((partition) => partition.name)}
      renderOption={({ option }) => (
        <DescribedOption
          name={option.value}
          description={partitionDescriptions(partitions)[option.value]}
        />
      )}
      {...(inlinePartition ? { value: inlinePartition } : {})}
      onChange={set}
    />
  );
}

function AccountField() {
  const { composition } = useComposer();
  const field = useField("account");
  const accounts = composition?.choices.accounts ?? [];
  const descriptions = accountDescriptions(accounts);
  const paying = showValue(field.value) || composition?.account || "";
  return (
    <ChoiceField
      path="account"
      help={descriptions[paying] || "The allocation to charge."}
      placeholder={composition?.account ? `${composition.account} (automatic)` : undefined}
      data={accounts.map((account) => account.name)}
      renderOption={({ option }) => (
        <DescribedOption name={option.value} description={descriptions[option.value]} />
      )}
      value={field.value === "auto" ? "" : showValue(field.value)}
    />
  );
}

function DescribedOption({ name, description }: { name: string; description?: string }) {
  return (
    <div>
      <Text size="sm">{name}</Text>
      {description && (
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      )}
    </div>
  );
}

function endpointOf(on: unknown): string {
  if (Array.isArray(on)) return on.map(showValue).join(", ");
  return splitLocation(on)[0] || "auto";
}

/** Splits `endpoint/partition`. */
function splitLocation(on: unknown): [string, string] {
  const [endpoint = "", partition = ""] = typeof on === "string" ? on.split("/", 2) : [];
  return [endpoint, partition];
}
