// What a checkout of this project says of its own Worker: what it is built for, bound to and migrated by. Another revision
// may say something else, and is run by its own word.
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { z } from 'zod'
import { PROJECT } from './bundle.ts'
import type { Binding, Compatibility } from './config.ts'

const BindingSchema = z.object({ binding: z.string() })

const SettingsSchema = z.object({
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.unknown()),
  kv_namespaces: z.array(BindingSchema),
  r2_buckets: z.array(BindingSchema),
  d1_databases: z.array(BindingSchema.extend({ migrations_dir: z.string() })),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
})

export type ServiceProject = {
  /** Its wrangler.toml. */
  config: string
  compatibility: Compatibility
  bindings: readonly Binding[]
  /** The statements that make the tables of D1. */
  schema: string
}

/** @param folder the project's root */
export async function readProject(folder: string = PROJECT): Promise<ServiceProject> {
  const config = join(folder, 'wrangler.toml')
  const settings = SettingsSchema.parse(unstable_readConfig({ config }, { hideWarnings: true }))
  const migrations = settings.d1_databases.map(({ migrations_dir: place }) => join(dirname(config), place))
  return {
    config,
    compatibility: { date: settings.compatibility_date, flags: settings.compatibility_flags },
    bindings: [
      ...Object.entries(settings.vars).map(([name, value]) => varBinding(name, value)),
      ...settings.kv_namespaces.map(({ binding }): Binding => ({ kind: 'kv', name: binding })),
      ...settings.r2_buckets.map(({ binding }): Binding => ({ kind: 'r2', name: binding })),
      ...settings.d1_databases.map(({ binding }): Binding => ({ kind: 'd1', name: binding })),
      ...settings.durable_objects.bindings.map(({ name, class_name: className }): Binding => ({
        kind: 'durable_object',
        name,
        className,
      })),
    ],
    schema: (await Promise.all(migrations.map(readMigrations))).join('\n'),
  }
}

const varBinding = (name: string, value: unknown): Binding =>
  typeof value === 'string' ? { kind: 'text', name, value } : { kind: 'json', name, value }

async function readMigrations(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n')
}
