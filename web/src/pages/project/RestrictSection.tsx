import { Button, Group, MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Section } from "~/components/Section";
import { useAction } from "~/components/useAction";
import { endpointsQuery } from "~/endpoints/queries";
import { type ProjectPage, projectsApi } from "~/projects/api";

/** For sensitive data: jobs run only on listed endpoints, and no file passes through the service. */
export function RestrictSection({ project }: { project: ProjectPage }) {
  const { data } = useQuery(endpointsQuery);
  const [edited, setEdited] = useState<string[] | null>(null);
  const saved = project.endpoints ?? [];
  const own = (data?.items ?? []).map((endpoint) => ({ value: endpoint.id, label: endpoint.name }));
  const known = new Set(own.map((option) => option.value));
  const others = saved
    .filter((id) => !known.has(id))
    .map((id) => ({ value: id, label: `another person's endpoint (${id.slice(0, 8)})` }));
  const save = useAction({
    call: (endpoints: string[] | null) => projectsApi.change(project.id, { endpoints }),
    refresh: [keys.projects],
    success: (now) => (now.endpoints ? "Restriction saved." : "Restriction removed."),
    onSuccess: () => setEdited(null),
  });
  return (
    <Section
      title="Allowed endpoints"
      about="For sensitive data: jobs run only on the endpoints listed here, and their code, images and files never pass through this service."
    >
      <MultiSelect
        label="Endpoints"
        placeholder={saved.length || edited?.length ? undefined : "any"}
        data={[...own, ...others]}
        value={edited ?? saved}
        onChange={setEdited}
      />
      {save.error && <ErrorAlert error={save.error} />}
      <Group gap="xs">
        <Button
          variant="light"
          disabled={!edited?.length}
          loading={save.isPending}
          onClick={() => save.run(edited)}
        >
          Restrict to these endpoints
        </Button>
        {project.endpoints && (
          <Button variant="default" onClick={() => save.run(null)}>
            Allow all endpoints
          </Button>
        )}
      </Group>
    </Section>
  );
}
