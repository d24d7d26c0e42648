import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, dataOf } from "~/api/client";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { count, exactTime } from "~/lib/format";
import { RecordView, Verified } from "~/records/RecordView";

/** What somebody with a link sees, without an account. */
export function Review() {
  const { secret } = useParams({ from: "/review/$secret" });
  const query = useQuery({
    queryKey: ["review", secret],
    queryFn: () =>
      dataOf(api.GET("/api/v1/records/review/{secret}", { params: { path: { secret } } })),
    retry: false,
  });
  return (
    <Page
      title={query.data?.title || "Records for review"}
      lead={query.data && `This link works until ${exactTime(query.data.expires)}.`}
      actions={
        query.data && (
          <Button
            component="a"
            href={`/api/v1/records/review/${secret}/crate`}
            download
            leftSection={<IconDownload size={16} />}
          >
            Download as RO-Crate
          </Button>
        )
      }
    >
      <QueryResult query={query}>
        {(review) => (
          <Stack gap="xl">
            {review.items.map((item) => (
              <section key={item.task} aria-label={`Record ${item.task}`}>
                <Group justify="space-between" mb="sm">
                  <Title order={2}>{item.name}</Title>
                  <Verified
                    faults={[item.check.fault, item.check.anchor_fault]}
                    words={count(item.check.entries, "entry", "entries")}
                  />
                </Group>
                <RecordView record={item} entries={item.entries} />
              </section>
            ))}
            <Text size="xs" c="dimmed">
              Made with Diamond. Names of machines and absolute paths are left out; the record
              verifies without them.
            </Text>
          </Stack>
        )}
      </QueryResult>
    </Page>
  );
}
