def list_recipes():
    raise NotImplementedError


def find_recipe(name):
    raise NotImplementedError
