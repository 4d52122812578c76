if vim.g.loaded_agentfs then
  return
end
vim.g.loaded_agentfs = true

vim.api.nvim_create_user_command('Agentfs', function(args)
  require('agentfs.commands').run(args)
end, {
  nargs = '*',
  desc = 'Review what agents propose',
  complete = function(...)
    return require('agentfs.commands').complete(...)
  end,
})
