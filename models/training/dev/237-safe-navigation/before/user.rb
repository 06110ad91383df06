class User
  attr_reader :login, :profile

  def initialize(login, profile = nil)
    @login = login
    @profile = profile
  end

  def greeting
    name = profile.nickname || login
    "Hi #{name}!"
  end

  def to_s
    login
  end
end
