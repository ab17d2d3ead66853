// The generators of API clients and their pinned versions: what each needs, how its client is generated, compiled and run. Each
// client has its own folder, and everything is downloaded into that folder.
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GO, PYTHON, run, type Command, type RequiredTool } from '../external-tools.ts'

const PROGRAMS = join(import.meta.dirname, 'programs')

export type GeneratedClient = {
  readonly name: string
  readonly needs: RequiredTool | null
  /** Generates and compiles the client in `folder`. Returns the command that runs it. Throws the tool's message if it fails. */
  readonly make: (folder: string, documentPath: string) => Promise<Command>
}

const typescript: GeneratedClient = {
  name: 'openapi-typescript 7.13.0',
  needs: null,
  async make(folder, documentPath) {
    // openapi-typescript needs a compiler API that TypeScript 7 does not have.
    const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@24.10.1']
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    await run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...packages], folder)
    const bin = (name: string): string => join(folder, 'node_modules/.bin', name)
    await run([bin('openapi-typescript'), documentPath, '-o', 'api.d.ts'], folder)
    await copyFile(join(PROGRAMS, 'typescript-client.ts'), join(folder, 'typescript-client.ts'))
    const strict = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--allowImportingTsExtensions',
    ]
    await run([bin('tsc'), ...strict, 'typescript-client.ts'], folder)
    return [process.execPath, 'typescript-client.ts']
  },
}

const python: GeneratedClient = {
  name: 'openapi-python-client 0.29.1',
  needs: PYTHON,
  async make(folder, documentPath) {
    await run(['python3', '-m', 'venv', 'venv'], folder)
    const bin = (name: string): string => join(folder, 'venv/bin', name)
    await run([bin('pip'), 'install', '--quiet', 'openapi-python-client==0.29.1', 'mypy==1.19.1'], folder)
    // The generator does not know the PDF media type and warns. It knows bytes.
    const overrides = 'content_type_overrides:\n  application/pdf: application/octet-stream\n'
    await writeFile(join(folder, 'config.yml'), `post_hooks: []\n${overrides}`)
    const output = ['--output-path', 'countersign', '--meta', 'none', '--config', 'config.yml', '--fail-on-warning']
    await run([bin('openapi-python-client'), 'generate', '--path', documentPath, ...output], folder)
    await copyFile(join(PROGRAMS, 'use_client.py'), join(folder, 'use_client.py'))
    await run([bin('python'), '-m', 'compileall', '-q', 'countersign'], folder)
    await run([bin('mypy'), '--strict', '--follow-imports=silent', 'use_client.py'], folder)
    return [bin('python'), 'use_client.py']
  },
}

const go: GeneratedClient = {
  name: 'oapi-codegen 2.8.2',
  needs: GO,
  async make(folder, documentPath) {
    const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
    await run(['go', 'mod', 'init', 'clients'], folder)
    await mkdir(join(folder, 'api'))
    await run(
      ['go', 'run', generator, '-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', documentPath],
      folder,
    )
    await copyFile(join(PROGRAMS, 'use_client.go'), join(folder, 'main.go'))
    await run(['go', 'mod', 'tidy'], folder)
    await run(['go', 'vet', './...'], folder)
    await run(['go', 'build', '-o', 'use-client', '.'], folder)
    return [join(folder, 'use-client')]
  },
}

export const GENERATED_CLIENTS: readonly GeneratedClient[] = [typescript, python, go]
