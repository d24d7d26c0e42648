import { Badge, Card, Group, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { QueryResult } from "~/components/QueryResult";
import classes from "../Composer.module.css";
import { recipesQuery } from "./queries";

/** Complete example jobs; one click fills in the form. */
export function RecipeGallery() {
  return (
    <QueryResult query={useQuery(recipesQuery)} loading={<Loading />}>
      {({ items }) => (
        <ul className={classes.cards}>
          {items.map((recipe) => (
            <li key={recipe.name}>
              <RecipeCard recipe={recipe} />
            </li>
          ))}
        </ul>
      )}
    </QueryResult>
  );
}

function RecipeCard({ recipe }: { recipe: Schemas["RecipeCard"] }) {
  return (
    <Card
      className={classes.card}
      renderRoot={(props) => <Link to="/compose" search={{ recipe: recipe.name }} {...props} />}
    >
      <Title order={2}>{recipe.title}</Title>
      <Text size="sm" c="dimmed" mt={4} mb="sm">
        {recipe.summary}
      </Text>
      <Group gap={6} mt="auto">
        {recipe.tags.map((tag) => (
          <Badge key={tag} color="gray" size="sm">
            {tag}
          </Badge>
        ))}
      </Group>
    </Card>
  );
}

function Loading() {
  return (
    <div className={classes.cards} role="status" aria-label="Loading">
      {[1, 2, 3].map((n) => (
        <Skeleton key={n} height={130} />
      ))}
    </div>
  );
}
