// The models this deployment knows, read once from data/models.json. A file that does not fit its schema stops the start.
import catalogueFile from '../../data/models.json' with { type: 'json' }
import { catalogueSchema, type Model, type ProviderName } from './catalogue.schema.ts'

export const models: readonly Model[] = catalogueSchema.parse(catalogueFile).models

const modelsById: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]))

export function findModel(id: string): Model | null {
  return modelsById.get(id) ?? null
}

/** Where each provider's own service is; a deployment may point elsewhere. No path: adapters bring their version. */
export const defaultBaseUrls: Readonly<Record<ProviderName, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  perplexity: 'https://api.perplexity.ai',
}
