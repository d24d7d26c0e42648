import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queries";
import { sayFailed } from "~/components/say";
import { useDeed as useAnyDeed } from "~/components/useDeed";

const at = (name: string) => ({ params: { path: { name } } });

/** Everything that can be asked for one endpoint. Refusals come as thrown ProblemErrors. */
export const ask = {
  change: (name: string, body: Schemas["EndpointChange"]) =>
    dataOf(api.PATCH("/api/v1/endpoints/{name}", { ...at(name), body })),
  confirm: (name: string, accept: boolean) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/confirm", { ...at(name), body: { accept } })),
  pairAgain: (name: string) => dataOf(api.POST("/api/v1/endpoints/{name}/pairing", at(name))),
  probe: (name: string, compute: boolean) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/probe", { ...at(name), body: { compute } })),
  upgrade: (name: string) => dataOf(api.POST("/api/v1/endpoints/{name}/upgrade", at(name))),
  remove: (name: string) => dataOf(api.DELETE("/api/v1/endpoints/{name}", at(name))),
  clean: (name: string, body: Schemas["CleanRequest"]) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/clean", { ...at(name), body })),
  secrets: (name: string) => dataOf(api.GET("/api/v1/endpoints/{name}/secrets", at(name))),
  setSecret: (name: string, secret: string, value: string) =>
    dataOf(
      api.PUT("/api/v1/endpoints/{name}/secrets/{secret}", {
        params: { path: { name, secret } },
        body: { value },
      }),
    ),
  dropSecret: (name: string, secret: string) =>
    dataOf(
      api.DELETE("/api/v1/endpoints/{name}/secrets/{secret}", {
        params: { path: { name, secret } },
      }),
    ),
  add: (body: Schemas["EndpointRequest"]) => dataOf(api.POST("/api/v1/endpoints", { body })),
};

type Act<T, A extends unknown[]> = {
  by: (...words: A) => Promise<T>;
  /** Said in the corner once it is done. */
  done?: string;
  onDone?: (answer: T) => void;
  /** A refusal is said in the corner, unless the caller shows `error` itself. */
  quiet?: boolean;
};

/** A button's deed about endpoints, with fresh lists of them afterwards. */
export function useDeed<T, A extends unknown[]>({ quiet = false, ...act }: Act<T, A>) {
  const onError = quiet ? undefined : sayFailed;
  return useAnyDeed({ ...act, renews: [keys.endpoints, keys.overview], onError });
}
