// Publishes, lists, serves and withdraws versions of a deployment's figures, by the operator's routes.
import { toWire } from '../../src/platform/wire.ts'
import {
  ChangedDatasetSchema,
  PublicationQuery,
  PublicationSchema,
  StoredDatasetsSchema,
  type DatasetsService,
} from '../../src/referral/waiting-lists/datasets.service.ts'
import { callOperator, type OperatorTarget } from '../operator/operator-client.ts'

export const remoteDatasets = (target: OperatorTarget): DatasetsService => ({
  list: () => callOperator(target, StoredDatasetsSchema(), 'GET', '/datasets'),
  publish: ({ bytes, ...said }) =>
    callOperator(
      target,
      PublicationSchema(),
      'POST',
      `/datasets${queryOf(toWire(PublicationQuery(), said))}`,
      new Uint8Array(bytes),
    ),
  serve: (hash, date) =>
    callOperator(target, ChangedDatasetSchema(), 'POST', pathOf(`${encodeURIComponent(hash)}/serve`, date)),
  withdraw: (hash, date) =>
    callOperator(target, ChangedDatasetSchema(), 'DELETE', pathOf(encodeURIComponent(hash), date)),
})

const pathOf = (version: string, archive_date: string | undefined): string =>
  `/datasets/${version}${queryOf({ archive_date })}`

const queryOf = (members: Record<string, string | undefined>): string => {
  const given = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `?${new URLSearchParams(given).toString()}`
}
