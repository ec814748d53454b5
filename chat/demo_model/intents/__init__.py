"""What each kind of request leads to, one group a module. None: the request is another kind."""
