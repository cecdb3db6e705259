/**
 * Tools as MCP servers name them, without the name of the server: those of the reference file
 * server, and of others that many people use.
 */
import { none, type ToolVocabulary } from './host-descriptor.ts'

export const mcpVocabulary = {
  id: 'mcp',
  title: 'MCP servers',
  tools: {
    common: {
      Read: ['read_file', 'read_text_file', 'read_media_file', 'read_multiple_files'],
      Edit: [
        ...['edit_file', 'str_replace', 'str_replace_editor', 'str_replace_based_edit_tool'],
        'apply_patch',
      ],
      Write: ['write_file', 'create_file', 'create_or_update_file', 'push_files'],
      Delete: ['delete_file'],
      Move: ['move_file', 'rename_file', 'copy_file'],
      MakeDirectory: ['create_directory'],
      Glob: ['search_files'],
      LS: ['list_directory', 'list_directory_with_sizes', 'directory_tree', 'get_file_info'],
    },
    shell: 'process_run',
    patches: ['apply_patch'],
    viewers: ['str_replace_editor', 'str_replace_based_edit_tool'],
    servers: none('these are tool names without the server name'),
    dashes: 'kept',
    lacks: none('a server runs no shell of its own'),
    free: none('these are tools of servers, not of a host'),
  },
} satisfies ToolVocabulary
