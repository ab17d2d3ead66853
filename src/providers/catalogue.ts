// The models this deployment knows, read once from data/models.json, when they are first asked for: start-up does not pay
// for it. A file that does not fit its schema stops the first request, and a test before that.
import catalogueFile from '../../data/models.json' with { type: 'json' }
import { CatalogueSchema, type Model } from './catalogue.schema.ts'

let catalogue: ReadonlyMap<string, Model> | undefined

function readCatalogue(): ReadonlyMap<string, Model> {
  return (catalogue ??= new Map(CatalogueSchema.parse(catalogueFile).models.map((model) => [model.id, model])))
}

export const catalogueModels = (): Model[] => [...readCatalogue().values()]

export function findModel(id: string): Model | null {
  return readCatalogue().get(id) ?? null
}
