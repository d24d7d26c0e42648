import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { showError } from "~/components/toasts";
import { useAction as useAnyDeed } from "~/components/useAction";

const pathOf = (name: string) => ({ params: { path: { name } } });

/** All calls about one endpoint. Errors are thrown as ProblemError. */
export const endpointsApi = {
  change: (name: string, body: Schemas["EndpointChange"]) =>
    dataOf(api.PATCH("/api/v1/endpoints/{name}", { ...pathOf(name), body })),
  confirm: (name: string, accept: boolean) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/confirm", { ...pathOf(name), body: { accept } })),
  newPairingCode: (name: string) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/pairing", pathOf(name))),
  probe: (name: string, compute: boolean) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/probe", { ...pathOf(name), body: { compute } })),
  upgrade: (name: string) => dataOf(api.POST("/api/v1/endpoints/{name}/upgrade", pathOf(name))),
  remove: (name: string) => dataOf(api.DELETE("/api/v1/endpoints/{name}", pathOf(name))),
  clean: (name: string, body: Schemas["CleanRequest"]) =>
    dataOf(api.POST("/api/v1/endpoints/{name}/clean", { ...pathOf(name), body })),
  browse: (name: string, path: string, start: number) =>
    dataOf(
      api.GET("/api/v1/endpoints/{name}/browse", {
        params: { path: { name }, query: { path, start } },
      }),
    ),
  secrets: (name: string) => dataOf(api.GET("/api/v1/endpoints/{name}/secrets", pathOf(name))),
  setSecret: (name: string, secret: string, value: string) =>
    dataOf(
      api.PUT("/api/v1/endpoints/{name}/secrets/{secret}", {
        params: { path: { name, secret } },
        body: { value },
      }),
    ),
  removeSecret: (name: string, secret: string) =>
    dataOf(
      api.DELETE("/api/v1/endpoints/{name}/secrets/{secret}", {
        params: { path: { name, secret } },
      }),
    ),
  add: (body: Schemas["EndpointRequest"]) => dataOf(api.POST("/api/v1/endpoints", { body })),
};

type EndpointAction<T, A extends unknown[]> = {
  call: (...args: A) => Promise<T>;
  /** Shown as a toast. */
  success?: string;
  onSuccess?: (result: T) => void;
  /** The caller shows `error` itself instead of a toast. */
  ownErrorDisplay?: boolean;
};

/** An action on endpoints that refetches them afterwards. */
export function useEndpointAction<T, A extends unknown[]>({
  ownErrorDisplay = false,
  ...action
}: EndpointAction<T, A>) {
  const onError = ownErrorDisplay ? undefined : showError;
  return useAnyDeed({ ...action, refresh: [keys.endpoints, keys.overview], onError });
}
