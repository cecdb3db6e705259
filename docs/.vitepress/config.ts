/**
 * The static site of these pages: `npm run docs` writes it to `docs/.vitepress/dist`, and
 * `npm run docs:dev` serves it while you write. Links that leave `docs/` are shown as plain text,
 * because those files are not part of the site.
 */
import { posix } from 'node:path'
import { defineConfig } from 'vitepress'
import { headingSlug } from '../../scripts/docs/links.ts'

function leavesDocs(page: string, link: string): boolean {
  if (/^([a-z][a-z0-9+.-]*:|#|\/)/i.test(link)) return false
  return posix.join(posix.dirname(page), link).startsWith('..')
}

function shelf(text: string, folder: string, pages: readonly (readonly [string, string])[]) {
  const items = pages.map(([title, name]) => ({ text: title, link: `/${folder}/${name}` }))
  return { text, collapsed: folder === 'reference', items }
}

export default defineConfig({
  title: 'Pawl',
  description: 'Keeps AI coding agents inside a process that people define',
  lang: 'en',
  cleanUrls: false,
  lastUpdated: false,
  cacheDir: '../node_modules/.vitepress',
  markdown: {
    anchor: { slugify: headingSlug },
    headers: { slugify: headingSlug },
    toc: { slugify: headingSlug },
    config(md) {
      md.core.ruler.push('links-out-of-docs', (state) => {
        const page: string = state.env.relativePath ?? ''
        for (const { children } of state.tokens) {
          let isOpen = false
          for (const token of children ?? []) {
            const link = token.type === 'link_open' ? (token.attrGet('href') ?? '') : ''
            if (link !== '' && leavesDocs(page, link)) isOpen = true
            else if (!(token.type === 'link_close' && isOpen)) continue
            if (token.type === 'link_close') isOpen = false
            token.type = 'text'
            token.tag = ''
            token.nesting = 0
            token.content = ''
          }
        }
      })
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    sidebar: [
      shelf('Start', 'start', [
        ['Concepts in five minutes', 'concepts'],
        ['Install', 'install'],
        ['Your first run', 'first-run'],
      ]),
      shelf('Guides', 'guides', [
        ['Guard Claude Code', 'guard-claude-code'],
        ['Try before it blocks', 'observe-first'],
        ['Approval before deploy', 'approval-before-deploy'],
        ['Stop runaway cost', 'stop-runaway-cost'],
        ['Unattended routines', 'unattended-routines'],
        ['MCP servers behind Pawl', 'mcp-servers-behind-pawl'],
        ['Several machines', 'several-machines'],
        ['Writing definitions', 'writing-definitions'],
        ['Converting a definition', 'converting'],
        ['Moving to Pawl', 'moving'],
      ]),
      shelf('Operate', 'operate', [
        ['The daemon', 'daemon'],
        ['The page', 'page'],
        ['Notifications and approvals', 'people'],
        ['The doctor', 'doctor'],
        ['Scaling', 'scale'],
      ]),
      shelf('Reference', 'reference', [
        ['Fields of definitions', 'definition-fields'],
        ['Settings', 'settings'],
        ['Codes', 'codes'],
        ['Expressions', 'expressions'],
        ['Policies', 'guard-policies'],
        ['Commands', 'guard-commands'],
        ['Files', 'guard-files'],
        ['Calls', 'calls'],
        ['Judging', 'judging'],
        ['Cost and budgets', 'money'],
        ['Mail and secrets', 'mail'],
        ['Jobs', 'runner'],
        ['Evidence', 'evidence'],
        ['The log', 'record'],
        ['API', 'api'],
        ['MCP', 'mcp'],
        ['Gateway', 'gateway'],
        ['Hosts', 'hosts'],
        ['Hook client', 'hooks-client'],
        ['Playing a definition', 'play'],
        ['What is known of programs', 'programs'],
        ['How commands are tested', 'guard-proof'],
        ['Glossary', 'glossary'],
      ]),
      {
        text: 'Contributing',
        items: [
          { text: 'Architecture', link: '/contributing/architecture' },
          { text: 'Adding a host', link: '/contributing/adding-a-host' },
          { text: 'Testing', link: '/contributing/testing' },
          { text: 'Decisions', link: '/adr/README' },
        ],
      },
    ],
  },
})
