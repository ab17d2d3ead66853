// The models this deployment knows, read once from data/models.json, when they are first asked for: start-up does not pay
// for it. A file that does not fit its schema stops the first request, and a test before that.
import catalogueFile from '../../data/models.json' with { type: 'json' }
import { catalogueSchema, type Model, type ProviderName } from './catalogue.schema.ts'

let catalogue: ReadonlyMap<string, Model> | undefined

function readCatalogue(): ReadonlyMap<string, Model> {
  return (catalogue ??= new Map(catalogueSchema.parse(catalogueFile).models.map((model) => [model.id, model])))
}

export const catalogueModels = (): Model[] => [...readCatalogue().values()]

export function findModel(id: string): Model | null {
  return readCatalogue().get(id) ?? null
}

/** Where each provider's own service is; a deployment may point elsewhere. No path: adapters bring their version. */
export const defaultBaseUrls: Readonly<Record<ProviderName, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  perplexity: 'https://api.perplexity.ai',
}
